import { startReceiver } from '@tideport/testing/receiver'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { holdProcesses } from './support/hold-processes.ts'
import { downloadBytes, readByEveryRoute } from './support/reading.ts'
import type { FileRecord } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { hotCopies, networkCopies } from './support/stored-copies.ts'
import { readTimeline } from './support/timeline.ts'
import { readFile, uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'
import { createWebhook, eventsOf, untilEvents } from './support/webhook-events.ts'

test('a cold file comes back to the hot tier, verified and with a retention of its own, and leaves it again without an event', async () => {
  const [stack, client, bytes] = [sharedStack(), freshAccount(), uniqueBytes(300_000)]
  await using receiver = await startReceiver()
  await createWebhook(client, receiver, ['file.hot', 'file.synced', 'file.cold', 'file.error'])
  const { id: vaultId } = await createVault(client, 'public')
  const { id } = await uploadFile(client, { vaultId, bytes })
  const cold = await untilStatus(client, id, 'cold')
  await untilEvents(receiver, 'file.hot', 'file.synced', 'file.cold')

  await using held = await holdProcesses(stack, 'eviction')
  const rehydrate = () => client.post<FileRecord>(`/api/files/${id}/rehydrate`)
  const asked = await Promise.all([rehydrate(), rehydrate(), rehydrate()])
  expect(asked.map(({ status, body }) => [status, body.status])).toEqual(Array(3).fill([200, 'cold']))
  const isBack = async () => (await readFile(client, id)).inHotCache
  await waitFor(isBack, { what: 'the bytes to be back' })
  expect(await readFile(client, id)).toMatchObject({
    status: 'cold',
    rehydrating: false,
    hotUntil: expect.any(String),
    storageNetworkBlobId: cold.storageNetworkBlobId,
  })
  expect(await hotCopies(stack, id)).toHaveLength(1)
  const fromHotTier = await downloadBytes(client, id)
  expect([fromHotTier.source, fromHotTier.bytes.equals(bytes)]).toEqual(['hot', true])

  await held.release('eviction')
  await waitFor(async () => !(await isBack()), { what: 'the bytes to leave again' })
  expect([await hotCopies(stack, id), (await networkCopies(stack, id)).length]).toEqual([[], 1])
  const last = await readFile(client, id)
  expect(last).toMatchObject({ status: 'cold', hotUntil: null })
  expect(await readByEveryRoute(client, last)).toEqual({ download: bytes, byId: bytes, byBlob: bytes })
  expect(eventsOf(receiver)).toHaveLength(3)

  const timeline = await readTimeline(client, id)
  expect(timeline.map(({ type }) => type)).toEqual([
    'upload.requested',
    'file.hot',
    'file.copied',
    'file.synced',
    'copy.proved',
    'evict.begun',
    'file.cold',
    'rehydrate.requested',
    'rehydrate.done',
    'evict.begun',
    'rehydrate.dropped',
  ])
})

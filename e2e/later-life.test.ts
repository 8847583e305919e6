import { startReceiver } from '@tideport/testing/receiver'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { fileWithoutBytes } from './support/file-without-bytes.ts'
import { holdProcesses } from './support/hold-processes.ts'
import { downloadBytes, readByEveryRoute } from './support/reading.ts'
import type { ErrorBody, FileRecord, Status } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { hotCopies, networkCopies } from './support/stored-copies.ts'
import { readTimeline } from './support/timeline.ts'
import { readFile, uniqueBytes, untilStatus, uploadFile } from './support/uploads.ts'
import { createWebhook, eventsOf, untilEvents } from './support/webhook-events.ts'

test.concurrent('a cold file is verified, restored to the hot tier with its own retention, and evicted again without an event', async () => {
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

test.concurrent('retries a file in error if its bytes are in the hot tier until it is cold, and its timeline shows every step', async () => {
  const client = freshAccount()
  await using receiver = await startReceiver()
  await createWebhook(client, receiver, ['file.hot', 'file.synced', 'file.cold', 'file.error'])
  using file = await fileWithoutBytes(client)
  const { id, bytes } = file
  const retry = () => client.post<FileRecord & ErrorBody>(`/api/files/${id}/retry`)
  expect(file.inError).toMatchObject({ errorCode: 'hot_copy_missing' })
  const inVain = await retry()
  expect([inVain.status, inVain.body.code]).toEqual([409, 'state_conflict'])
  expect(await readFile(client, id)).toMatchObject({ status: 'error' })

  await file.putBack()
  const accepted = await retry()
  expect([accepted.status, accepted.body]).toMatchObject([200, { status: 'hot', error: null, errorCode: null }])
  const cold = await untilStatus(client, id, 'cold')
  expect((await retry()).status, 'not in error').toBe(409)
  expect(await readByEveryRoute(client, cold)).toEqual({ download: bytes, byId: bytes, byBlob: bytes })
  await untilEvents(receiver, 'file.hot', 'file.error', 'file.synced', 'file.cold')
  const told = eventsOf(receiver).map(({ event }) => event)
  expect(told.toSorted()).toEqual(['file.cold', 'file.error', 'file.hot', 'file.synced'])

  const timeline = await readTimeline(client, id)
  expect(timeline.map(({ type, status }) => [type, status])).toEqual([
    ['upload.requested', 'uploading'],
    ['file.hot', 'hot'],
    ['copy.failed', null],
    ['file.error', 'error'],
    ['retry.accepted', expect.toBeOneOf(['hot', null])],
    ['file.copied', null],
    ['file.synced', 'synced'],
    ['copy.proved', null],
    ['evict.begun', null],
    ['file.cold', 'cold'],
  ])
  expect(timeline.map(({ at }) => at)).toEqual(timeline.map(({ at }) => at).toSorted())
  expect(timeline[3]?.details).toEqual({ error: expect.stringMatching(/\w+ \w+/) })
})

const nothingLeft = (fileId: string) =>
  waitFor(
    async () => {
      const copies = [...(await hotCopies(sharedStack(), fileId)), ...(await networkCopies(sharedStack(), fileId))]
      return copies.length === 0
    },
    { what: 'every copy to go', timeoutMs: 150_000 },
  )

test.concurrent('deleting the same bytes in another account at any step loses nothing and leaves nothing', async () => {
  const bytes = uniqueBytes()
  const store = async () => {
    const client = freshAccount()
    const vault = await createVault(client, 'public')
    const { id } = await uploadFile(client, { vaultId: vault.id, bytes })
    return {
      read: async () => readByEveryRoute(client, await readFile(client, id)),
      reach: (status: Status) => untilStatus(client, id, status),
      async leave() {
        expect((await client.delete(`/api/files/${id}?permanent=true`)).status).toBe(200)
        await nothingLeft(id)
      },
    }
  }
  const leavers = await Promise.all([store(), store(), store()])
  for (const { reach } of leavers) await reach('synced')
  await using held = await holdProcesses(sharedStack(), 'sync')
  const stayer = await store()
  await leavers[0]?.leave()
  expect(await stayer.read()).toEqual({ download: bytes, byId: bytes })
  await held.release('sync')
  for (const [index, status] of (['synced', 'cold'] as const).entries()) {
    await stayer.reach(status)
    await leavers[index + 1]?.leave()
    expect(await stayer.read(), status).toEqual({ download: bytes, byId: bytes, byBlob: bytes })
  }
  await stayer.leave()
})

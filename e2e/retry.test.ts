import { createHash } from 'node:crypto'
import { startReceiver } from '@tideport/testing/receiver'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { fileWithoutBytes } from './support/file-without-bytes.ts'
import { downloadBytes, readByEveryRoute } from './support/reading.ts'
import type { ErrorBody, FileRecord } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { readTimeline } from './support/timeline.ts'
import { readFile, uniqueBytes, untilStatus, uploadInSteps } from './support/uploads.ts'
import { createWebhook, eventsOf, untilEvents } from './support/webhook-events.ts'

test.concurrent('a file in error is tried again once its bytes are in the hot tier, becomes cold, and its timeline tells all of it', async () => {
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

test.concurrent('bytes that are not those that were announced are kept, and no retry takes them', async () => {
  const [client, bytes] = [freshAccount(), uniqueBytes()]
  const { id: vaultId } = await createVault(client, 'public')
  const more = { checksumSha256: createHash('sha256').update('other bytes').digest('hex').toUpperCase() }
  const { id } = await uploadInSteps(client, { vaultId, bytes, more })
  await untilStatus(client, id, 'error')
  expect((await client.post(`/api/files/${id}/retry`)).status).toBe(409)
  expect(await readFile(client, id)).toMatchObject({ status: 'error', errorCode: 'checksum_mismatch' })
  expect((await downloadBytes(client, id)).bytes).toEqual(bytes)
})

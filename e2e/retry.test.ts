import { createHash } from 'node:crypto'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { startReceiver } from '@tideport/testing/receiver'
import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import { holdProcesses } from './support/hold-processes.ts'
import { downloadBytes, readByEveryRoute } from './support/reading.ts'
import type { ErrorBody, FileRecord } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'
import { hotCopies, openHotTier } from './support/stored-copies.ts'
import { readTimeline } from './support/timeline.ts'
import { readFile, uniqueBytes, untilStatus, uploadFile, uploadInSteps } from './support/uploads.ts'
import { createWebhook, eventsOf, untilEvent } from './support/webhook-events.ts'

test.concurrent('a file in error is tried again once its bytes are in the hot tier, becomes cold, and its timeline tells all of it', async () => {
  const [stack, client, bytes] = [sharedStack(), freshAccount(), uniqueBytes()]
  using _ = { [Symbol.dispose]: () => store.destroy() }
  const store = openHotTier(stack)
  const Bucket = stack.s3.bucket
  await using receiver = await startReceiver()
  await createWebhook(client, receiver, ['file.hot', 'file.synced', 'file.cold', 'file.error'])
  const { id: vaultId } = await createVault(client, 'public')
  await using held = await holdProcesses(stack, 'sync')
  const { id } = await uploadFile(client, { vaultId, bytes, mimeType: 'text/plain' })
  const retry = () => client.post<FileRecord & ErrorBody>(`/api/files/${id}/retry`)
  expect((await retry()).status, 'not in error').toBe(409)
  const [Key] = await hotCopies(stack, id)
  await store.send(new DeleteObjectCommand({ Bucket, Key }))
  await held.release('sync')
  expect(await untilStatus(client, id, 'error')).toMatchObject({ errorCode: 'hot_copy_missing' })
  const inVain = await retry()
  expect([inVain.status, inVain.body.code]).toEqual([409, 'state_conflict'])
  expect(await readFile(client, id)).toMatchObject({ status: 'error' })

  await store.send(new PutObjectCommand({ Bucket, Key, Body: bytes, ContentType: 'text/plain' }))
  const accepted = await retry()
  expect([accepted.status, accepted.body]).toMatchObject([200, { status: 'hot', error: null, errorCode: null }])
  const cold = await untilStatus(client, id, 'cold')
  expect(await readByEveryRoute(client, cold)).toEqual({ download: bytes, byId: bytes, byBlob: bytes })
  await untilEvent(receiver, 'file.cold')
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

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf } from '../client.ts'
import { giveUpStoring, makeCold } from '../later-states.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup()
})
afterAll(() => t[Symbol.asyncDispose]())

type Entry = Record<'type' | 'status' | 'at', string> & { details: object }

it('tells every change and attempt of a file, oldest first, in pages', async () => {
  const owner = clientOf(t)
  const file = await owner.hotFile('hello')
  await giveUpStoring(t, file.id)

  const path = `/api/files/${file.id}/timeline`
  const { status, body } = await owner.call('GET', path)
  expect(status).toBe(200)
  const told = body.timeline.map(({ type, status, details }: Entry) => [type, status, details])
  expect(told).toEqual([
    ['upload.requested', 'uploading', {}],
    ['file.hot', 'hot', {}],
    ['store.failed', null, { network: 'embedded', attempt: 1, reason: 'hot_tier', delaySeconds: 0 }],
    ['copy.failed', null, { network: 'embedded', reason: 'sync_failed' }],
    ['file.error', 'error', { error: 'The file could not be copied to the storage network' }],
  ])
  expect(body.nextCursor).toBeNull()
  expect(body.timeline.map(({ at }: Entry) => at)).toEqual(body.timeline.map(({ at }: Entry) => at).toSorted())

  const first = (await owner.call('GET', `${path}?limit=3`)).body
  const rest = (await owner.call('GET', `${path}?limit=3&cursor=${first.nextCursor}`)).body
  expect([...first.timeline, ...rest.timeline]).toEqual(body.timeline)
  expect(rest.nextCursor).toBeNull()
  expect((await clientOf(t).call('GET', path)).status).toBe(404)
  const other = await owner.hotFile('hello')
  expect((await owner.call('GET', `/api/files/${other.id}/timeline?cursor=${first.nextCursor}`)).status).toBe(400)
})

it('tells of each copy by its network, beside the status that follows', async () => {
  const owner = clientOf(t)
  const file = await owner.hotFile('hello')
  await makeCold(t, file.id)
  const { timeline } = (await owner.call('GET', `/api/files/${file.id}/timeline`)).body
  const told = timeline.slice(2).map(({ type, status, details }: Entry) => [type, status, details])
  expect(told).toEqual([
    ['file.copied', null, { network: 'embedded' }],
    ['file.synced', 'synced', {}],
    ['copy.proved', null, { network: 'embedded', sizeBytes: 5 }],
    ['evict.begun', null, { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), sizeBytes: 5 }],
    ['file.cold', 'cold', {}],
  ])
})

import { markFailed } from '@tideport/file-lifecycle/state/transitions'
import { recordSyncFailure } from '@tideport/file-lifecycle/work/attempts'
import { claimDue } from '@tideport/file-lifecycle/work/claim'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf } from '../client.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup()
})
afterAll(() => t[Symbol.asyncDispose]())

it('tells every change and attempt of a file, oldest first, in pages', async () => {
  const owner = clientOf(t)
  const file = await owner.hotFile('hello')
  const claimed = await claimDue(t.db, file.id, 'sync')
  if (claimed === null) throw new Error('Not claimed')
  const failed = await recordSyncFailure(t.db, claimed, { reason: 'hot_tier', delaySeconds: 0 })
  const again = failed && (await claimDue(t.db, file.id, 'sync'))
  if (!again) throw new Error('Not claimed again')
  await markFailed(t.db, again, 'sync_failed')

  const path = `/api/files/${file.id}/timeline`
  const { status, body } = await owner.call('GET', path)
  expect(status).toBe(200)
  const told = body.timeline.map((entry: Record<string, unknown>) => [entry.type, entry.status, entry.details])
  expect(told).toEqual([
    ['upload.requested', 'uploading', {}],
    ['file.hot', 'hot', {}],
    ['sync.failed', null, { attempt: 1, reason: 'hot_tier', delaySeconds: 0 }],
    ['file.error', 'error', { error: 'The file could not be copied to the storage network' }],
  ])
  expect(body.nextCursor).toBeNull()
  expect(body.timeline.map(({ at }: { at: string }) => at)).toEqual(
    body.timeline.map(({ at }: { at: string }) => at).toSorted(),
  )

  const first = (await owner.call('GET', `${path}?limit=3`)).body
  const rest = (await owner.call('GET', `${path}?limit=3&cursor=${first.nextCursor}`)).body
  expect([...first.timeline, ...rest.timeline]).toEqual(body.timeline)
  expect(rest.nextCursor).toBeNull()
  expect((await clientOf(t).call('GET', path)).status).toBe(404)
  const other = await owner.hotFile('hello')
  expect((await owner.call('GET', `/api/files/${other.id}/timeline?cursor=${first.nextCursor}`)).status).toBe(400)
})

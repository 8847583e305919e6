import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { must } from '../bundle.ts'
import { setupEviction } from '../evict-bundle.ts'

const t = setUpOnce(setupEviction)

const due = 'due_at = now()'

describe('the checks of proved copies', () => {
  it('record the intact copy, change no file, send no event, and are scheduled again', async () => {
    const files = [
      await t.evictableFile(''),
      await t.evictableFile('hello'),
      await t.evictableFile('x'.repeat(5 << 20)),
    ]
    for (const file of files) await t.assignCopies(file.id, due)
    await t.check()
    for (const { id, version } of files) {
      const copy = await t.copy({ id })
      expect(copy).toMatchObject({ state: 'proved', checksOk: 2, checksFailed: 0, attempt: 0, claimedUntil: null })
      expect(must(copy.dueAt).getTime()).toBeGreaterThan(must(copy.checkedAt).getTime() + 1_000_000)
      expect((await t.read(id)).version).toBe(version)
    }
    await t.check()
    expect(await t.copy(must(files[0]))).toMatchObject({ checksOk: 2 })
  })

  it('include trashed files, but not files that are being purged', async () => {
    const [trashed, purged] = [await t.evictableFile(), await t.evictableFile()]
    for (const file of [trashed, purged]) {
      await t.hideCopy(file)
      await t.assignCopies(file.id, due)
    }
    await t.assign(trashed.id, 'deleted_at = now()')
    await t.assign(purged.id, 'deleted_at = now(), purging_at = now()')
    await t.check()
    expect(await t.copy(trashed)).toMatchObject({ state: 'planned', checksFailed: 1 })
    expect(await t.copy(purged)).toMatchObject({ state: 'proved', checksFailed: 0 })
  })
})

import { setupKilledWorker } from '@tideport/file-lifecycle/testing/killed-worker'
import { isFullRun } from '@tideport/testing/full-run'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'

const main = new URL('../../src/main.ts', import.meta.url)
const both = { lake: 'required', attic: 'required' } as const

const t = setUpOnce(() => setupKilledWorker(main, { SYNC_RETRY_BASE_SECONDS: '1' }, 'lake', 'attic'))

// Successive processes are killed while they work on the same file, each one step later than the previous one.
describe('kill -9 of a sync process', () => {
  it('at each step of storing: the file is stored on both networks, with one event', async () => {
    const c = await t.configure(both)
    const file = await t.hotFile('hello')
    for (const point of ['store.before-commit', 'store.after-commit', 'store.after-row']) {
      await t.dieAt(point, both, file)
      expect(await c.bytesOf(file), point).toBe('hello')
    }
    await using _next = await t.start(both)
    await t.reaches(file, { lake: 'stored', attic: 'stored' })
    expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced'])
    expect(await t.times(file, 'file.copied')).toBe(2)
    for (const name of ['lake', 'attic']) expect(await t.blobsOn(name)).toHaveLength(1)
  })

  it.runIf(isFullRun)('at each step of storing a lost copy: the copy is re-created or found', async () => {
    const c = await t.configure(both)
    const file = await c.coldFile('hello')
    const lose = async () => {
      await t.hideCopy(file, 'attic')
      await t.makeDue(file.id)
    }
    await lose()
    await c.check('attic')
    expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'planned' })
    for (const point of ['store.before-commit', 'store.after-commit', 'store.after-finding', 'store.after-row']) {
      // A copy that the previous process stored without a row is found, unless it is lost again.
      if (point === 'store.after-row') await lose()
      await t.dieAt(point, both, file)
      expect(await c.bytesOf(file), point).toBe('hello')
    }
    await using _next = await t.start(both)
    await t.reaches(file, { lake: 'proved', attic: 'stored' })
    await c.prove(file, 'attic')
    await t.hideCopy(file, 'lake')
    expect(await c.bytesOf(file)).toBe('hello')
    expect(await t.copy(file, 'attic')).toMatchObject({ reference: `${file.id}_1`, lostAt: null })
    expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced', 'file.cold'])
  })
})

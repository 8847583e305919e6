import { setupKilledWorker } from '@tideport/file-lifecycle/testing/killed-worker'
import { isFullRun } from '@tideport/testing/full-run'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'

const main = new URL('../../src/main.ts', import.meta.url)
const quick = {
  ...{ DOWNLOAD_URL_SECONDS: '1', CLOCK_SKEW_SECONDS: '0', SETTLE_SECONDS: '1' },
  ...{ COPY_WALK_SECONDS: '1', COPY_CHECK_SECONDS: '3600', EVICTION_RETRY_BASE_SECONDS: '1' },
}
const lake = { lake: 'required' } as const
const both = { lake: 'required', attic: 'required' } as const
const leavingAttic = { lake: 'required', attic: 'leaving' } as const

const onLake = setUpOnce(() => setupKilledWorker(main, quick, 'lake'))
const onBoth = setUpOnce(() => setupKilledWorker(main, quick, 'lake', 'attic'))

// Successive processes are killed while they work on the same file, each one step later than the previous one.
describe('kill -9 of an eviction process', () => {
  it('at each step of a proof: the copy is proved once, and the file becomes cold', async () => {
    const t = onLake
    const c = await t.configure(lake)
    const file = await t.syncedFile('hello')
    for (const point of ['prove.after-reading', 'prove.after-row', 'reconcile.before-evict', 'reconcile.after-evict']) {
      // The walk of the killed process may have scheduled the eviction before the kill.
      await t.assign(file.id, 'evict_due_at = null')
      await t.dieAt(point, lake, file)
      expect(await t.read(file.id), point).toMatchObject({ status: 'synced', hotKey: file.hotKey })
      expect(await c.bytesOf(file), point).toBe('hello')
    }
    await using _next = await t.start(lake)
    await t.becomesCold(file)
    expect(await t.copy(file)).toMatchObject({ state: 'proved', unfinishedClaims: 0 })
    expect(await t.times(file, 'copy.proved')).toBe(1)
    expect(await t.times(file, 'file.cold')).toBe(1)
    expect(await c.bytesOf(file)).toBe('hello')
  })

  it.runIf(isFullRun)('at each step of planning: copies on an added network are planned once and stored', async () => {
    const t = onLake
    const file = await (await t.configure(lake)).coldFile('hello')
    const c = await t.configure(both)
    for (const [point, planned] of [
      ['reconcile.before-plan', {}],
      ['reconcile.after-plan', { attic: 'planned' }],
      ['walk.between', { attic: 'planned' }],
    ] as const) {
      await t.dieAt(point, both, file)
      expect(await t.states(file), point).toEqual({ lake: 'proved', ...planned })
    }
    await using _next = await t.start(both)
    await t.reaches(file, { lake: 'proved', attic: 'planned' })
    await c.store(file, 'attic')
    await t.reaches(file, { lake: 'proved', attic: 'proved' })
    expect(await t.times(file, 'copy.planned')).toBe(1)
    await t.hideCopy(file, 'lake')
    expect(await c.bytesOf(file)).toBe('hello')
  })

  it('at each step of leaving: a leaving network is emptied, and the other one keeps its copy', async () => {
    const t = onBoth
    const c = await t.configure(leavingAttic)
    const file = await t.provedFile('hello')
    for (const [point, state, blobs] of [
      ['reconcile.before-drop', 'proved', 1],
      ['reconcile.after-drop', 'dropping', 1],
      ['drop.before-removal', 'dropping', 1],
      ['drop.after-removal', 'dropping', 0],
      ['drop.after-row', 'dropped', 0],
    ] as const) {
      await t.dieAt(point, leavingAttic, file)
      expect(await t.states(file), point).toEqual({ lake: 'proved', attic: state })
      expect(await t.blobsOn('attic'), point).toHaveLength(blobs)
    }
    await using _next = await t.start(leavingAttic)
    await t.reaches(file, { lake: 'proved', attic: 'dropped' })
    await t.becomesCold(file)
    expect(await t.blobsOn('attic')).toEqual([])
    expect(await t.times(file, 'copy.leaving')).toBe(1)
    expect(await t.times(file, 'copy.dropped')).toBe(1)
    expect(await c.bytesOf(file)).toBe('hello')
  })

  it.runIf(isFullRun)(
    'at each step of finding a loss: the loss is found once, and the copy is re-created',
    async () => {
      const t = onBoth
      const c = await t.configure(both)
      const file = await c.coldFile('hello')
      await t.hideCopy(file, 'attic')
      await t.makeDue(file.id)
      for (const point of ['lose.before-row', 'lose.after-row']) {
        await t.dieAt(point, both, file)
        expect(await c.bytesOf(file), point).toBe('hello')
      }
      await using _next = await t.start(both)
      await t.reaches(file, { lake: 'proved', attic: 'planned' })
      expect(await t.times(file, 'file.copy_lost')).toBe(1)
      await c.store(file, 'attic')
      await t.reaches(file, { lake: 'proved', attic: 'proved' })
      await t.hideCopy(file, 'lake')
      expect(await c.bytesOf(file)).toBe('hello')
    },
  )
})

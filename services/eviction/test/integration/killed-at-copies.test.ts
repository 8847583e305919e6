import { setupKilledWorker } from '@tideport/file-lifecycle/test/killed-worker'
import { describe, expect, it } from 'vitest'

const main = new URL('../../src/main.ts', import.meta.url)
const quick = {
  ...{ DOWNLOAD_URL_SECONDS: '1', CLOCK_SKEW_SECONDS: '0', SETTLE_SECONDS: '1' },
  ...{ COPY_WALK_SECONDS: '1', COPY_CHECK_SECONDS: '3600', EVICTION_RETRY_BASE_SECONDS: '1' },
}
const lake = { lake: 'required' } as const
const both = { lake: 'required', attic: 'required' } as const
const leavingAttic = { lake: 'required', attic: 'leaving' } as const

const setup = (...networkNames: string[]) => setupKilledWorker(main, quick, ...networkNames)

describe('kill -9 of an eviction process', { timeout: 300_000 }, () => {
  it.each(['prove.after-reading', 'prove.after-row', 'reconcile.before-evict', 'reconcile.after-evict'])(
    'at %s: the copy is proved once, and the file becomes cold',
    async (point) => {
      await using t = await setup('lake')
      const c = await t.configure(lake)
      const file = await t.syncedFile('hello')
      await t.dieAt(point, lake, file)
      expect(await t.read(file.id)).toMatchObject({ status: 'synced', hotKey: file.hotKey })
      await using _next = await t.start(lake)
      await t.becomesCold(file)
      expect(await t.copy(file)).toMatchObject({ state: 'proved', unfinishedClaims: 0 })
      expect(await t.times(file, 'copy.proved')).toBe(1)
      expect(await t.times(file, 'file.cold')).toBe(1)
      expect(await c.bytesOf(file)).toBe('hello')
    },
  )

  it.each(['reconcile.before-plan', 'reconcile.after-plan', 'walk.between'])(
    'at %s: a network that is added is planned, once, and filled',
    async (point) => {
      await using t = await setup('lake')
      const file = await (await t.configure(lake)).coldFile('hello')
      const c = await t.configure(both)
      await t.dieAt(point, both, file)
      const planned = point === 'reconcile.before-plan' ? {} : { attic: 'planned' }
      expect(await t.states(file)).toEqual({ lake: 'proved', ...planned })
      await using _next = await t.start(both)
      await t.reaches(file, { lake: 'proved', attic: 'planned' })
      await c.store(file, 'attic')
      await t.reaches(file, { lake: 'proved', attic: 'proved' })
      expect(await t.times(file, 'copy.planned')).toBe(1)
      await t.hideCopy(file, 'lake')
      expect(await c.bytesOf(file)).toBe('hello')
    },
  )

  it.each([
    ['reconcile.before-drop', 'proved', 1],
    ['reconcile.after-drop', 'dropping', 1],
    ['drop.before-removal', 'dropping', 1],
    ['drop.after-removal', 'dropping', 0],
    ['drop.after-row', 'dropped', 0],
  ])('at %s: a network that is left is emptied, and the other one keeps its copy', async (point, state, blobs) => {
    await using t = await setup('lake', 'attic')
    const c = await t.configure(leavingAttic)
    const file = await t.provedFile('hello')
    await t.dieAt(point, leavingAttic, file)
    expect(await t.states(file)).toEqual({ lake: 'proved', attic: state })
    expect(await t.blobsOn('attic')).toHaveLength(blobs)
    await using _next = await t.start(leavingAttic)
    await t.reaches(file, { lake: 'proved', attic: 'dropped' })
    await t.becomesCold(file)
    expect(await t.blobsOn('attic')).toEqual([])
    expect(await t.times(file, 'copy.leaving')).toBe(1)
    expect(await t.times(file, 'copy.dropped')).toBe(1)
    expect(await c.bytesOf(file)).toBe('hello')
  })

  it.each(['lose.before-row', 'lose.after-row'])(
    'at %s: a copy that is lost is found so once, and made anew',
    async (point) => {
      await using t = await setup('lake', 'attic')
      const c = await t.configure(both)
      const file = await c.coldFile('hello')
      await t.hideCopy(file, 'attic')
      await t.makeDue(file.id)
      await t.dieAt(point, both, file)
      expect(await c.bytesOf(file)).toBe('hello')
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

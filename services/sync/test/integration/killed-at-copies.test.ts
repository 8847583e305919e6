import { setupKilledWorker } from '@tideport/file-lifecycle/test/killed-worker'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'

const main = new URL('../../src/main.ts', import.meta.url)
const both = { lake: 'required', attic: 'required' } as const

const t = setUpOnce(() => setupKilledWorker(main, { SYNC_RETRY_BASE_SECONDS: '1' }, 'lake', 'attic'))

describe('kill -9 of a sync process', () => {
  it.each(['store.before-commit', 'store.after-commit', 'store.after-row'])(
    'at %s: the file is stored on both networks, and told of once',
    async (point) => {
      const c = await t.configure(both)
      const file = await t.hotFile('hello')
      await t.dieAt(point, both, file)
      expect(await c.bytesOf(file)).toBe('hello')
      await using _next = await t.start(both)
      await t.reaches(file, { lake: 'stored', attic: 'stored' })
      expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced'])
      expect(await t.times(file, 'file.copied')).toBe(2)
      for (const name of ['lake', 'attic']) expect(await t.blobsOn(name)).toHaveLength(1)
    },
  )

  it.each(['store.before-commit', 'store.after-commit', 'store.after-row', 'store.after-finding'])(
    'at %s: a copy that was lost is made anew, or found',
    async (point) => {
      const c = await t.configure(both)
      const file = await c.coldFile('hello')
      await t.hideCopy(file, 'attic')
      await t.makeDue(file.id)
      await c.check('attic')
      expect(await t.states(file)).toEqual({ lake: 'proved', attic: 'planned' })
      if (point === 'store.after-finding') await t.showCopy(file, 'attic')
      await t.dieAt(point, both, file)
      expect(await c.bytesOf(file)).toBe('hello')
      await using _next = await t.start(both)
      await t.reaches(file, { lake: 'proved', attic: 'stored' })
      await c.prove(file, 'attic')
      await t.hideCopy(file, 'lake')
      expect(await c.bytesOf(file)).toBe('hello')
      expect(await t.copy(file, 'attic')).toMatchObject({ reference: `${file.id}_1`, lostAt: null })
      expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced', 'file.cold'])
    },
  )
})

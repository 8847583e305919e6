import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { createEvictionRate, evictFile } from '../../src/evict/evict-file.ts'
import type { FileRow } from '../../src/state/tables.ts'
import { must } from '../bundle.ts'
import { holdAt } from '../hold-at.ts'
import { setupPurging } from '../purging.ts'

const t = setUpOnce(setup)

async function setup() {
  const t = await setupPurging()
  const step = evictFile({
    ...t.proveDeps,
    hotTier: t.hotTier,
    rate: createEvictionRate(t.db, 600),
    downloadUrlSeconds: 0,
    clockSkewSeconds: 0,
    evictionRetryBaseSeconds: 0,
    evictionDryRun: false,
  })
  return Object.assign(t, { evict: t.fileWorker(step) })
}
type Bundle = Awaited<ReturnType<typeof setup>>

/** Two files of two accounts with the same bytes; the first one is proved and may be evicted. */
async function twins() {
  const [file, other] = [await t.provedFile('hello'), await t.provedFile('hello', await t.newAccount())]
  await t.evict(file)
  expect((await t.read(file.id)).evictingAt).not.toBeNull()
  return { file, other, hotKey: must(file.hotKey) }
}

const steps: [name: string, isThere: (t: Bundle, at: { id: string; hotKey: string }) => Promise<unknown>][] = [
  ['evict.before-delete', async (t, { id }) => (await t.read(id)).claimedUntil],
  ['evict.after-delete', async (t, { hotKey }) => (await t.hotTier.head(hotKey)) === null],
]

describe.each(steps)('two accounts store the same bytes, and at %s of an eviction', (name, isThere) => {
  it('the other file is purged: the first file is complete, and nothing of the other file is left', async () => {
    const { file, other, hotKey } = await twins()
    await using held = await holdAt(name)
    const evicting = t.evict(file)
    await waitFor(() => isThere(t, { id: file.id, hotKey }), { what: 'the worker to be held' })
    await t.purge(other)
    expect(await t.traces(other)).toEqual([])
    await held.release()
    await evicting
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
    expect(await t.copyOf(file)).toBe('hello')
  })

  it('the evicting file is purged: nothing of it is left, the other file is complete, and no event is sent', async () => {
    const { file, other, hotKey } = await twins()
    await using held = await holdAt(name)
    const evicting = t.evict(file)
    await waitFor(() => isThere(t, { id: file.id, hotKey }), { what: 'the worker to be held' })
    await t.beginPurge(file)
    expect(await t.account()).toMatchObject({ hot_bytes: '0', storage_bytes: '0' })
    await t.pass(file)
    await held.release()
    await evicting
    expect(await t.account()).toMatchObject({ hot_bytes: '0', storage_bytes: '0' })
    await t.settle(file)
    expect(await t.pass(file)).toBe('gone')
    expect(await t.traces(file)).toEqual([])
    expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced'])
    expect(await t.copyOf(other)).toBe('hello')
    expect(await t.hotTier.head(must(other.hotKey))).toBe(5)
  })

  it.each([
    ['the evicting file', (t: Bundle, file: FileRow) => [() => t.trash(file), () => t.restore(file)]],
    ['its vault', (t: Bundle, { vaultId }: FileRow) => [() => t.trashVault(vaultId), () => t.restoreVault(vaultId)]],
  ])(
    '%s is trashed and restored later: no event is sent in the trash, and the file then becomes cold',
    async (_, ways) => {
      const { file, hotKey } = await twins()
      await using held = await holdAt(name)
      const evicting = t.evict(file)
      await waitFor(() => isThere(t, { id: file.id, hotKey }), { what: 'the worker to be held' })
      const [throwAway, restore] = ways(t, file) as [() => Promise<unknown>, () => Promise<unknown>]
      await throwAway()
      await held.release()
      await evicting
      expect(await t.read(file.id)).toMatchObject({ status: 'synced' })
      expect(await t.events(file.id)).not.toContain('file.cold')
      await restore()
      await t.makeDue(file.id)
      await t.evict(file)
      expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
      expect(await t.copyOf(file)).toBe('hello')
    },
  )
})

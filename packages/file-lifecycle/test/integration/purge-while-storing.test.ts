import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import type { FileRow } from '../../src/state/tables.ts'
import { holdAt } from '../hold-at.ts'
import { type PurgingBundle, setupPurging } from '../purging.ts'

const t = setUpOnce(setupPurging)

/** Each step of a store, and how the test detects that the worker waits there. */
const steps: [name: string, isThere: (t: PurgingBundle, id: string) => Promise<unknown>][] = [
  ['store.before-commit', async (t, id) => (await t.copy({ id })).blobId],
  ['store.after-commit', async (t, id) => (await t.directory.list()).find((entry) => entry.endsWith(`/${id}_1`))],
]

describe.each(steps)('two accounts store the same bytes, and at %s of a store', (name, isThere) => {
  it('the other file is purged: the first file is complete, and nothing of the other file is left', async () => {
    const other = await t.syncedFile('hello', await t.newAccount())
    const file = await t.hotFile('hello')
    await using held = await holdAt(name)
    const storing = t.store(file)
    await waitFor(() => isThere(t, file.id), { what: 'the worker to be held' })
    await t.purge(other)
    expect(await t.traces(other)).toEqual([])
    await held.release()
    await storing
    expect(await t.read(file.id)).toMatchObject({ status: 'synced' })
    expect(await t.copyOf(file)).toBe('hello')
  })

  it('the stored file is purged: nothing of it is left, and the other file is complete', async () => {
    const other = await t.syncedFile('hello', await t.newAccount())
    const file = await t.hotFile('hello')
    await using held = await holdAt(name)
    const storing = t.store(file)
    await waitFor(() => isThere(t, file.id), { what: 'the worker to be held' })
    await t.beginPurge(file)
    expect(await t.pass(file)).toBe('settling')
    await held.release()
    await storing
    await t.settle(file)
    expect(await t.pass(file)).toBe('gone')
    expect(await t.traces(file)).toEqual([])
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.purged'])
    expect(await t.copyOf(other)).toBe('hello')
  })
})

it.each([
  ['a file', (file: FileRow) => [() => t.trash(file), () => t.restore(file)]],
  ['the vault of a file', ({ vaultId }: FileRow) => [() => t.trashVault(vaultId), () => t.restoreVault(vaultId)]],
])('%s is trashed at any step of its store: the file is announced as synced after a restore', async (_, ways) => {
  for (const [name, isThere] of steps) {
    const file = await t.hotFile('hello')
    const [throwAway, restore] = ways(file) as [() => Promise<unknown>, () => Promise<unknown>]
    await using held = await holdAt(name)
    const storing = t.store(file)
    await waitFor(() => isThere(t, file.id), { what: 'the worker to be held' })
    await throwAway()
    await held.release()
    await storing
    await t.store(file)
    expect(await t.copy(file)).toMatchObject({ state: 'planned', claimedUntil: null, attempt: 0 })
    await restore()
    await t.makeDue(file.id)
    await t.store(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced' })
    expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced'])
    expect(await t.copyOf(file)).toBe('hello')
  }
})

it('a file that is trashed and restored at every step of its store is synced once', async () => {
  for (const [name, isThere] of steps) {
    const file = await t.hotFile('hello')
    await using held = await holdAt(name)
    const storing = t.store(file)
    await waitFor(() => isThere(t, file.id), { what: 'the worker to be held' })
    await t.trash(file)
    await t.restore(file)
    await held.release()
    await storing
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', deletedAt: null })
    expect((await t.events(file.id)).filter((type) => type === 'file.synced')).toHaveLength(1)
  }
})

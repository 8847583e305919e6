import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { syncFile } from '../../src/copies/sync-file.ts'
import { holdAt } from '../hold-at.ts'
import { type PurgingBundle, setupPurging } from '../purging.ts'

async function setup() {
  const t = await setupPurging()
  const limits = { syncAttemptsMax: 3, syncRetryBaseSeconds: 100, hotRetentionSeconds: 60 }
  return Object.assign(t, { sync: t.worker(syncFile({ ...t, ...limits })) })
}

/** Each step of a sync, and what tells that the worker stands there. */
const steps: [name: string, isThere: (t: PurgingBundle, id: string) => Promise<unknown>][] = [
  ['sync.before-network-commit', async (t, id) => (await t.read(id)).blobId],
  ['sync.after-network-commit', async (t, id) => (await t.directory.list()).find((entry) => entry.endsWith(`/${id}`))],
]

describe.each(steps)('two accounts store the same bytes, and at %s of a sync', (name, isThere) => {
  it('the other file is purged: nothing of the one is lost, nothing of the other left', async () => {
    await using t = await setup()
    const other = await t.syncedFile('hello', await t.newAccount())
    const file = await t.hotFile('hello')
    await using held = await holdAt(name)
    const syncing = t.sync(file)
    await waitFor(() => isThere(t, file.id), { what: 'the worker to be held' })
    await t.purge(other)
    expect(await t.traces(other)).toEqual([])
    await held.release()
    await syncing
    expect(await t.read(file.id)).toMatchObject({ status: 'synced' })
    expect(await t.copyOf(file)).toBe('hello')
  })

  it('this very file is purged: nothing of it left, nothing of the other lost', async () => {
    await using t = await setup()
    const other = await t.syncedFile('hello', await t.newAccount())
    const file = await t.hotFile('hello')
    await using held = await holdAt(name)
    const syncing = t.sync(file)
    await waitFor(() => isThere(t, file.id), { what: 'the worker to be held' })
    await t.beginPurge(file)
    expect(await t.pass(file)).toBe('settling')
    await held.release()
    await syncing
    await t.settle(file)
    expect(await t.pass(file)).toBe('gone')
    expect(await t.traces(file)).toEqual([])
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.purged'])
    expect(await t.copyOf(other)).toBe('hello')
  })
})

it('a purge before the sync was told leaves it nothing to do', async () => {
  await using t = await setup()
  const file = await t.hotFile('hello')
  await t.beginPurge(file)
  await t.sync(file)
  expect((await t.read(file.id)).blobId).toBeNull()
})

it('a file whose vault is thrown away at a step of its sync is told of when the vault is back', async () => {
  for (const [name, isThere] of steps) {
    await using t = await setup()
    const file = await t.hotFile('hello')
    await using held = await holdAt(name)
    const syncing = t.sync(file)
    await waitFor(() => isThere(t, file.id), { what: 'the worker to be held' })
    await t.trashVault(file.vaultId)
    await held.release()
    await syncing
    await t.sync(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'hot', claimedUntil: null, syncAttempt: 0 })
    await t.restoreVault(file.vaultId)
    await t.makeDue(file.id)
    await t.sync(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced' })
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.synced'])
    expect(await t.copyOf(file)).toBe('hello')
  }
})

it('a file that is thrown away and restored at every step of its sync is synced once', async () => {
  for (const [name, isThere] of steps) {
    await using t = await setup()
    const file = await t.hotFile('hello')
    await using held = await holdAt(name)
    const syncing = t.sync(file)
    await waitFor(() => isThere(t, file.id), { what: 'the worker to be held' })
    await t.trash(file)
    await t.restore(file)
    await held.release()
    await syncing
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', deletedAt: null })
    expect((await t.events(file.id)).filter((type) => type === 'file.synced')).toHaveLength(1)
  }
})

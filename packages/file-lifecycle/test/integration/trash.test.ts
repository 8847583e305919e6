import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { restoreFile, trashFile } from '../../src/removal/trash.ts'
import { beginEvicting } from '../../src/state/transitions.ts'
import { claimFor } from '../../src/work/claim-step.ts'
import { must, names } from '../bundle.ts'
import { setupPurging } from '../purging.ts'

const t = setUpOnce(setup)

const own = ({ id, accountId }: { id: string; accountId: string }) => ({ fileId: id, accountId })

async function setup() {
  const t = await setupPurging()
  return Object.assign(t, {
    trash: (file: Parameters<typeof own>[0]) => trashFile(t.db, own(file), { retentionSeconds: 60, networks: names }),
    restore: (file: Parameters<typeof own>[0]) =>
      restoreFile(t.db, own(file), { evictWaitSeconds: 660, networks: names }),
    claimStore: ({ id }: { id: string }) => claimFor(t.writes, { fileId: id, network: 'embedded' }, 'store'),
    vault: async () => (await t.database.sql('select file_count, storage_bytes from vault'))[0],
  })
}

describe('the trash', () => {
  it('takes a file once, keeps its bytes and its share of the quota, and sends one event', async () => {
    const file = await t.hotFile('hello')
    const [trashed, ...others] = (await Promise.all([t.trash(file), t.trash(file)])).toSorted((a) => (a ? -1 : 1))
    expect(others).toEqual([null])
    expect(must(trashed?.purgeDueAt).getTime() - must(trashed?.deletedAt).getTime()).toBe(60_000)
    expect(must(trashed).version).toBe(file.version + 1)
    expect(await t.account()).toMatchObject({ storage_bytes: '5', file_count: '1', hot_bytes: '5' })
    expect(await t.vault()).toEqual({ file_count: '0', storage_bytes: '0' })
    expect(await t.hotTier.head(must(file.hotKey))).toBe(5)

    expect(must(await t.restore(file))).toMatchObject({ status: 'hot', deletedAt: null, purgeDueAt: null })
    expect(await t.restore(file)).toBeNull()
    expect(await t.vault()).toEqual({ file_count: '1', storage_bytes: '5' })
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.deleted', 'file.restored'])
  })

  it('makes no work due, and a restore makes it due again', async () => {
    const [hot, synced] = [await t.hotFile(), await t.provedFile()]
    for (const file of [hot, synced]) {
      expect(must(await t.trash(file))).toMatchObject({ evictDueAt: null })
      expect(await t.claimStore(file)).toBeNull()
      await t.restore(file)
    }
    expect(await t.claimStore(hot)).not.toBeNull()
    expect(await claimFor(t.writes, { fileId: synced.id }, 'evict')).not.toBeNull()
  })

  it('shortens neither the retention nor the wait for presigned URLs', async () => {
    const [retained, evicting] = [await t.syncedFile(), await t.provedFile()]
    await t.assign(retained.id, `hot_until = now() + interval '1 hour'`)
    const claimed = must(await claimFor(t.writes, { fileId: evicting.id }, 'evict'))
    const begun = must(await beginEvicting(t.writes, claimed, names, { waitSeconds: 660 }))
    for (const file of [retained, evicting]) {
      await t.trash(file)
      await t.restore(file)
    }
    expect((await t.read(retained.id)).evictDueAt).toEqual((await t.read(retained.id)).hotUntil)
    expect(await t.read(evicting.id)).toMatchObject({ evictingAt: begun.evictingAt, evictDueAt: begun.evictDueAt })
  })

  it('keeps the claim of a running worker, so no other worker gets the copy after a restore', async () => {
    const file = await t.hotFile()
    const { fencingToken, claimedUntil } = must(await t.claimStore(file)).copy
    await t.trash(file)
    expect(await t.copy(file)).toMatchObject({ fencingToken, claimedUntil })
    await t.restore(file)
    // The worker may still act, so no other worker gets the copy.
    expect(await t.claimStore(file)).toBeNull()
  })

  it('restores no file into a trashed vault', async () => {
    const file = await t.hotFile()
    await t.trash(file)
    await t.database.sql('update vault set deleted_at = now()')
    expect(await t.restore(file)).toBeNull()
    await t.database.sql('update vault set deleted_at = null')
    expect(await t.restore(file)).not.toBeNull()
  })
})

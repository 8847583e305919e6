import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { must } from '../bundle.ts'
import { type EvictionBundle, setupEviction } from '../evict-bundle.ts'

const t = setUpOnce(setupEviction)

type Spoil = (t: EvictionBundle, file: { id: string }) => Promise<unknown>
/** Reading this path fails with EIO on any Linux. */
const makeUnreadable: Spoil = async (t, file) => {
  const path = join(t.directory.path, await t.entryOf(file))
  await rm(path)
  await symlink('/proc/self/mem', path)
}
const spoils: Record<string, Spoil> = {
  rotten: (t, file) => t.spoilCopy(file),
  absent: (t, file) => t.hideCopy(file),
  ...(process.platform === 'linux' && { unreadable: makeUnreadable }),
}

describe('the proof of a copy', () => {
  it('makes its file due for eviction, and schedules a check of the copy', async () => {
    const file = await t.syncedFile('hello')
    await t.prove(file)
    const copy = await t.copy(file)
    expect(copy).toMatchObject({ state: 'proved', checksOk: 1, checksFailed: 0, attempt: 0, claimedUntil: null })
    expect(copy.checkedAt).toEqual(copy.provedAt)
    // Spread by 50% in both directions.
    const waits = (must(copy.dueAt).getTime() - must(copy.provedAt).getTime()) / 3_600_000
    expect(waits).toBeGreaterThanOrEqual(0.5)
    expect(waits).toBeLessThanOrEqual(1.5)
    expect((await t.read(file.id)).evictDueAt).not.toBeNull()
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.copied', 'file.synced', 'copy.proved'])
  })

  it('runs once for two concurrent workers, and also in the trash', async () => {
    const file = await t.syncedFile('hello')
    await t.assign(file.id, 'deleted_at = now()')
    await Promise.all([t.prove(file), t.prove(file)])
    expect(await t.copy(file)).toMatchObject({ state: 'proved', fencingToken: 2 })
    expect((await t.read(file.id)).evictDueAt).toBeNull()
  })

  it('is not due before the hot bytes may be deleted', async () => {
    const file = await t.syncedFile('hello')
    await t.assignCopies(file.id, `due_at = now() + interval '1 minute'`)
    await t.prove(file)
    expect(await t.copy(file)).toMatchObject({ state: 'stored' })
  })
})

describe('a copy that fails its proof', () => {
  it.each(Object.entries(spoils))(
    'is lost after three proofs when it is %s, and is healed from the hot bytes, while other copies continue',
    async (_, spoil) => {
      const [file, good] = [await t.syncedFile('hello'), await t.syncedFile('good')]
      await spoil(t, file)
      for (const [attempt, delaySeconds] of [
        [1, 100],
        [2, 200],
      ] as const) {
        await t.prove(file)
        expect(await t.copy(file)).toMatchObject({ state: 'stored', attempt, claimedUntil: null })
        expect(t.circuit.isClosed()).toBe(true)
        const [wait] = await t.database.sql(
          `select extract(epoch from due_at - (select max(at) from event))::int as seconds from copy where file_id = $1`,
          [file.id],
        )
        expect(wait?.['seconds']).toBe(delaySeconds)
        await t.makeDue(file.id)
      }
      await t.prove(file)
      expect(await t.copy(file)).toMatchObject({ state: 'planned', attempt: 0, checksFailed: 1, provedAt: null })
      expect((await t.copy(file)).lostAt).not.toBeNull()
      expect(await t.read(file.id)).toMatchObject({ status: 'synced', hotKey: file.hotKey, evictDueAt: null })
      expect(await t.hotTier.head(must(file.hotKey))).toBe(5)
      expect((await t.events(file.id)).slice(3)).toEqual(['prove.failed', 'prove.failed', 'file.copy_lost'])
      await t.prove(good)
      expect(await t.copy(good)).toMatchObject({ state: 'proved' })

      await t.store(file)
      await t.prove(file)
      expect(await t.copy(file)).toMatchObject({ state: 'proved', lostAt: null })
      expect(await t.statusEvents(file)).toEqual(['file.hot', 'file.synced'])
    },
  )

  it('counts no attempts while the network is down, and continues when it is back', async () => {
    const file = await t.syncedFile()
    await t.takeNetworkDown()
    await t.prove(file)
    expect(await t.copy(file)).toMatchObject({ state: 'stored', attempt: 0, unfinishedClaims: 0, claimedUntil: null })
    expect(t.circuit.isClosed()).toBe(false)
    await t.bringNetworkUp()
    await waitFor(() => t.circuit.isClosed(), { what: 'the circuit to close' })
    await t.makeDue(file.id)
    await t.prove(file)
    expect(await t.copy(file)).toMatchObject({ state: 'proved' })
  })
})

describe.skipIf(process.platform !== 'linux')('an unreadable copy', () => {
  it('is not lost while it may be the last copy, and is retried without a limit', async () => {
    const file = await t.evictingFile('last')
    await t.evict(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold' })
    await makeUnreadable(t, file)
    for (let check = 1; check <= 4; check += 1) {
      await t.makeDue(file.id)
      await t.check()
      expect(await t.copy(file)).toMatchObject({ state: 'proved', attempt: check, claimedUntil: null })
    }
    expect(await t.read(file.id)).toMatchObject({ status: 'cold', errorCode: null })
  })

  it('that was marked lost before stays undecided, and is found when it becomes readable', async () => {
    const file = await t.evictingFile('last')
    await t.evict(file)
    const path = join(t.directory.path, await t.entryOf(file))
    await t.hideCopy(file)
    await t.makeDue(file.id)
    await t.check()
    expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: 'content_lost' })
    await symlink('/proc/self/mem', path)
    await t.store(file)
    expect(await t.copy(file)).toMatchObject({ state: 'planned', claimedUntil: null })
    expect((await t.events(file.id)).at(-1)).toBe('store.failed')
    await rm(path)
    await t.showCopy(file)
    await t.makeDue(file.id)
    await t.store(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'cold', errorCode: null })
  })
})

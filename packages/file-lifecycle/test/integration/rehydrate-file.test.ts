import { rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { rehydrateFile, requestRehydration } from '../../src/rehydrate/rehydrate-file.ts'
import type { FileRow } from '../../src/state/tables.ts'
import { must, never } from '../bundle.ts'
import { setupEviction } from '../evict-bundle.ts'
import { holdAt } from '../hold-at.ts'

const t = setUpOnce(setup)

async function setup(networkNames?: string[]) {
  const t = await setupEviction({ ...(networkNames && { networkNames }) })
  const handle = t.fileWorker(rehydrateFile({ ...t.storeDeps, hotRetentionSeconds: 60 }))
  return Object.assign(t, {
    handle,
    /** A cold file after sync and eviction, with a requested rehydration. */
    async wantedFile(body = 'hello'): Promise<FileRow> {
      const file = await t.evictingFile(body)
      await t.evict(file)
      return must(await requestRehydration(t.db, await t.read(file.id)))
    },
    /** The copy exists, and cannot be opened. */
    async makeUnreadable(file: Pick<FileRow, 'id'>): Promise<void> {
      const path = join(t.directory.path, await t.entryOf(file))
      await rm(path)
      await symlink(path, path)
    },
    hotBytes: async (key: string | null) => {
      const body = await t.hotTier.open(must(key), undefined, never)
      return (await buffer(must(body))).toString()
    },
  })
}

describe('the rehydration of a file', () => {
  it('stores the bytes under a new key with fresh retention, also for empty files and files of several parts', async () => {
    for (const body of ['', 'tideport'.repeat(2_200_000)]) {
      const wanted = await t.wantedFile(body)
      await t.handle(wanted)
      const file = await t.read(wanted.id)
      const none = { rehydrateDueAt: null, rehydrateKey: null, evictingAt: null, claimedUntil: null }
      expect(file).toMatchObject({ status: 'cold', ...none, evictDueAt: file.hotUntil })
      expect(file.hotKey).not.toBe(file.uploadKey)
      expect(must(file.hotUntil).getTime() - file.updatedAt.getTime()).toBe(60_000)
      expect((await t.hotBytes(file.hotKey)) === body).toBe(true)
    }
  })

  it('happens once when two workers get the job, and not in the trash or during an eviction', async () => {
    const [wanted, trashed, evicting] = [await t.wantedFile(), await t.wantedFile(), await t.wantedFile()]
    await t.assign(trashed.id, 'deleted_at = now(), version = version + 1')
    await t.assign(evicting.id, 'evicting_at = now(), version = version + 1')
    for (const file of [wanted, trashed, evicting]) await Promise.all([t.handle(file), t.handle(file)])
    expect((await t.events(wanted.id)).filter((type) => type === 'rehydrate.done')).toHaveLength(1)
    expect((await t.read(trashed.id)).hotKey).toBeNull()
    expect((await t.read(evicting.id)).hotKey).toBeNull()
  })

  it('is repeated under the named key after a crash, despite remains under that key', async () => {
    const wanted = await t.wantedFile('hello')
    const key = `hot/${wanted.id}/${crypto.randomUUID()}`
    await t.assign(wanted.id, `rehydrate_key = '${key}', version = version + 1`)
    await t.hotTier.beginUpload(key, 'image/png')
    await t.handle(wanted)
    expect((await t.read(wanted.id)).hotKey).toBe(key)
    expect(await t.hotBytes(key)).toBe('hello')
    await t.hotTier.remove(key)
    await t.hotTier.abortUploads(key)
    expect(await t.hotTier.head(key)).toBeNull()
  })

  it('writes nothing when the file is trashed in the meantime', async () => {
    const wanted = await t.wantedFile()
    await using held = await holdAt('rehydrate.after-store')
    const work = t.handle(wanted)
    await waitFor(async () => {
      const { rehydrateKey } = await t.read(wanted.id)
      return rehydrateKey !== null && (await t.hotTier.head(rehydrateKey)) === 5
    })
    await t.assign(wanted.id, 'deleted_at = now(), version = version + 1')
    await held.release()
    await work
    expect(await t.read(wanted.id)).toMatchObject({ hotKey: null, hotUntil: null, claimedUntil: null })
    expect(await t.account()).toMatchObject({ hot_bytes: '0' })
  })
})

describe('a rehydration that cannot succeed', () => {
  it('schedules checks of damaged copies, and puts the file in error when no copy is intact', async () => {
    const [rotten, absent] = [await t.wantedFile('hello'), await t.wantedFile('other')]
    await t.spoilCopy(rotten)
    await t.hideCopy(absent)
    for (const { id } of [rotten, absent]) {
      await t.handle({ id })
      const file = await t.read(id)
      expect(file).toMatchObject({ status: 'cold', hotKey: null, rehydrateAttempt: 1, hotUntil: null })
      expect(await t.hotTier.head(must(file.rehydrateKey))).toBeNull()
      expect((await t.events(id)).at(-1)).toBe('rehydrate.failed')
    }
    await t.check()
    for (const { id } of [rotten, absent]) {
      expect(await t.read(id)).toMatchObject({ status: 'error', errorCode: 'content_lost', rehydrateDueAt: null })
    }
    expect(await t.account()).toMatchObject({ hot_bytes: '0' })
  })

  it('counts an attempt of the file for an unreadable copy, and no outage for other files', async () => {
    const [bad, good] = [await t.wantedFile('bad'), await t.wantedFile('good')]
    await t.makeUnreadable(bad)
    await t.handle(bad)
    expect(await t.read(bad.id)).toMatchObject({ status: 'cold', rehydrateAttempt: 1, claimedUntil: null })
    expect((await t.events(bad.id)).at(-1)).toBe('rehydrate.failed')
    expect(t.circuit.isClosed()).toBe(true)
    await t.handle(good)
    expect(await t.hotBytes((await t.read(good.id)).hotKey)).toBe('good')
  })

  it('stops when its attempts are spent, and leaves the file cold and its key to eviction', async () => {
    const wanted = await t.wantedFile('hello')
    await t.hideCopy(wanted)
    await t.assign(wanted.id, 'rehydrate_attempt = 2')
    await t.handle(wanted)
    const file = await t.read(wanted.id)
    expect(file).toMatchObject({ status: 'cold', hotKey: null, rehydrateDueAt: null, hotUntil: null })
    expect(file.evictDueAt).not.toBeNull()
    expect((await t.events(wanted.id)).at(-1)).toBe('rehydrate.gave_up')
  })

  it('uses another copy after a check found that one breaks off in the middle', async () => {
    await using t = await setup(['lake', 'attic'])
    const wanted = await t.wantedFile('x'.repeat(3 << 20))
    const { blobId, reference } = await t.copy(wanted, 'lake')
    await t.directoryOf('lake').corrupt(`${blobId}/${reference}`, (5 << 20) / 2)
    await t.handle(wanted)
    expect(await t.read(wanted.id)).toMatchObject({ status: 'cold', hotKey: null, rehydrateAttempt: 1 })
    await t.check('lake')
    await t.check('attic')
    expect(await t.copy(wanted, 'lake')).toMatchObject({ state: 'planned' })
    expect(await t.copy(wanted, 'attic')).toMatchObject({ state: 'proved' })
    await t.makeDue(wanted.id)
    await t.handle(wanted)
    expect((await t.read(wanted.id)).hotKey).not.toBeNull()
  })

  it('never stores bytes that differ from the synced ones', async () => {
    const wanted = await t.wantedFile('hello')
    await t.assign(wanted.id, `sha256 = '${'0'.repeat(64)}', version = version + 1`)
    await t.handle(wanted)
    const file = await t.read(wanted.id)
    expect(file).toMatchObject({ status: 'cold', hotKey: null })
    expect(await t.hotTier.head(must(file.rehydrateKey))).toBeNull()
  })

  it('is delayed without counting an attempt while the network is down', async () => {
    const wanted = await t.wantedFile()
    await t.takeNetworkDown()
    await t.handle(wanted)
    expect(await t.read(wanted.id)).toMatchObject({ rehydrateAttempt: 0, unfinishedClaims: 0, claimedUntil: null })
    expect((await t.read(wanted.id)).rehydrateDueAt).not.toBeNull()
    await t.bringNetworkUp()
    await t.assign(wanted.id, 'rehydrate_due_at = now()')
    await t.handle(wanted)
    expect((await t.read(wanted.id)).hotKey).not.toBeNull()
  })

  it('stops after twenty claims without an outcome, and the file stays cold', async () => {
    const wanted = await t.wantedFile()
    await t.assign(wanted.id, 'unfinished_claims = 20')
    await t.handle(wanted)
    expect(await t.read(wanted.id)).toMatchObject({
      status: 'cold',
      errorCode: null,
      rehydrateDueAt: null,
      unfinishedClaims: 0,
    })
  })
})

import { access, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { log, must, never } from '@tideport/file-lifecycle/testing/bundle'
import { networksEnvironment } from '@tideport/file-lifecycle/testing/networks-environment'
import { claimFor } from '@tideport/file-lifecycle/work/claim-step'
import { repair } from '@tideport/repair/reconcile/repair'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { reconcile } from '../../src/reconcile.ts'
import { redrive } from '../../src/redrive.ts'
import { setupInstallation } from '../installation.ts'

const t = setUpOnce(setupInstallation)

const loseObject = async (file: FileRow) => await t.hotTier.remove(must(file.hotKey))

/** Sets the rows back, like a restore to an earlier point in time. */
async function rollBack(file: FileRow, status: 'uploading' | 'hot' | 'synced'): Promise<void> {
  const before = {
    uploading: `status = 'uploading', confirmed_at = null, hot_key = upload_key, sha256 = null, synced_at = null,
      evicted_at = null, evict_due_at = null, hot_until = null`,
    hot: `status = 'hot', hot_key = upload_key, sha256 = null, synced_at = null, evicted_at = null, evict_due_at = null,
      hot_until = null`,
    synced: `status = 'synced', hot_key = upload_key, evicted_at = null, evict_due_at = now() + interval '1 day'`,
  }
  await t.assign(file.id, before[status])
  if (status === 'uploading') await t.database.sql('delete from copy where file_id = $1', [file.id])
  else if (status === 'synced') await t.assignCopies(file.id, `state = 'stored', proved_at = null`)
  else
    await t.assignCopies(
      file.id,
      `state = 'planned', blob_id = null, stored_at = null, proved_at = null, due_at = now()`,
    )
}

/** Only this file: each test creates its own. */
async function reconciled(file: FileRow, ...args: string[]) {
  const { rows, failure } = await t.run(reconcile, ['--json', ...args])
  return { row: rows.find(({ fileId }) => fileId === file.id), failure }
}

describe('operator reconcile', () => {
  it('finds no differences if rows and tiers agree, in every state', async () => {
    await t.begin(5)
    await t.fail(await t.hotFile())
    for (const make of [t.hotFile, t.syncedFile, t.coldFile]) await make()
    expect(await t.run(reconcile, ['--fix', '--json'])).toMatchObject({ rows: [], failure: null })
  })

  it('changes nothing without --fix, and fails if something differs', async () => {
    const file = await t.hotFile()
    await loseObject(file)
    const { row, failure } = await reconciled(file)
    expect(row).toMatchObject({ difference: 'lost', outcome: 'left', status: 'hot' })
    expect(failure).toContain('differ from the stored bytes')
    expect((await t.read(file.id)).version).toBe(file.version)
  })

  it('continues a hot file without an object from a copy that its network has', async () => {
    const file = await t.coldFile('of the network')
    await rollBack(file, 'hot')
    const { row } = await reconciled(file, '--fix')
    expect(row).toMatchObject({ difference: 'copied', outcome: 'repaired', networks: 'embedded' })
    expect(await t.read(file.id)).toMatchObject({ status: 'hot', claimedUntil: null })
    expect(await t.copyOf(file)).toBe('of the network')
    expect((await reconciled(file)).row).toBeUndefined()
    await t.store(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', sha256: file.sha256 })
    expect(await t.copy(file)).toMatchObject({ state: 'stored', lostAt: null })
  })

  it("accepts no bytes that differ from the owner's declaration", async () => {
    const file = await t.coldFile()
    await rollBack(file, 'hot')
    await t.assign(file.id, `checksum_declared = repeat('0', 64)`)
    expect((await reconciled(file, '--fix')).row).toMatchObject({ difference: 'copied' })
    await t.store(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: 'hot_copy_missing' })
  })

  it('leaves files to sync that were stored before their rows were updated', async () => {
    const file = await t.syncedFile('committed')
    await t.assign(file.id, `status = 'hot', synced_at = null, sha256 = null, evict_due_at = null`)
    await t.assignCopies(file.id, `state = 'planned', stored_at = null, due_at = now()`)
    await loseObject(file)
    expect((await reconciled(file, '--fix')).row).toBeUndefined()
    await t.store(file)
    expect(await t.read(file.id)).toMatchObject({ status: 'synced', sha256: file.sha256 })
  })

  it('confirms an upload whose object or copy exists', async () => {
    const [stored, copied] = [await t.hotFile(), await t.coldFile()]
    for (const file of [stored, copied]) await rollBack(file, 'uploading')
    await t.database.sql('update account set open_uploads = 2, hot_bytes = hot_bytes - 5')
    const { rows } = await t.run(reconcile, ['--fix', '--json'])
    expect(rows.find(({ fileId }) => fileId === stored.id)).toMatchObject({ difference: 'stored', outcome: 'repaired' })
    expect(rows.find(({ fileId }) => fileId === copied.id)).toMatchObject({ difference: 'copied', outcome: 'repaired' })
    for (const { id } of [stored, copied]) expect((await t.read(id)).status).toBe('hot')
    expect(await t.copy(stored)).toMatchObject({ state: 'planned', blobId: null, lostAt: null })
    expect(await t.copy(copied)).toMatchObject({ state: 'planned', lostAt: expect.any(Date) })
    await t.store(copied)
    expect(await t.read(copied.id)).toMatchObject({ status: 'synced', sha256: copied.sha256 })
    expect(await t.copyOf(copied)).toBe('hello')
  })

  it('moves a synced file without an object to cold, once its copy is proved', async () => {
    const [proved, damaged] = [await t.syncedFile('good'), await t.syncedFile('bad')]
    for (const file of [proved, damaged]) await loseObject(file)
    await t.spoilCopy(damaged)
    const { rows } = await t.run(reconcile, ['--fix', '--json'])
    expect(rows.find(({ fileId }) => fileId === proved.id)).toMatchObject({
      difference: 'evicted',
      outcome: 'repaired',
    })
    expect(rows.find(({ fileId }) => fileId === damaged.id)).toMatchObject({ outcome: 'unproved' })
    expect(await t.read(proved.id)).toMatchObject({ status: 'synced', evictingAt: expect.any(Date) })
    expect((await t.copy(proved)).state).toBe('proved')
    expect(await t.read(damaged.id)).toMatchObject({ status: 'synced', evictingAt: null })
    expect(await t.copy(damaged)).toMatchObject({ state: 'stored', claimedUntil: null })
  })

  it('stores a missing copy again while the bytes are in the bucket', async () => {
    const file = await t.syncedFile()
    await t.loseCopy(file)
    const { row } = await reconciled(file, '--fix')
    expect(row).toMatchObject({ difference: 'uncopied', outcome: 'repaired', networks: 'embedded' })
    expect((await t.read(file.id)).status).toBe('synced')
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.copied', 'file.synced', 'file.copy_lost'])
    await t.store(file)
    expect((await t.copy(file)).state).toBe('stored')
    expect(await t.copyOf(file)).toBe('hello')
  })

  it('stores a missing copy again from another network, and does not change the source', async () => {
    await using two = await setupInstallation('lake', 'disk')
    const file = await two.coldFile('on two')
    await two.loseCopy(file, 'lake')
    const { rows } = await two.run(reconcile, ['--fix', '--json'])
    expect(rows).toMatchObject([{ fileId: file.id, difference: 'uncopied', networks: 'lake', outcome: 'repaired' }])
    expect(await two.copy(file, 'lake')).toMatchObject({ state: 'planned', lostAt: expect.any(Date) })
    expect((await two.copy(file, 'disk')).state).toBe('proved')
    await two.store(file, 'lake')
    expect((await two.copy(file, 'lake')).state).toBe('stored')
    expect((await two.read(file.id)).status).toBe('cold')
  })

  it('finds a file that only a leaving network has, and stores it on the required networks', async () => {
    await using two = await setupInstallation('lake', 'old')
    const file = await two.coldFile('moved')
    await two.loseCopy(file, 'lake')
    await two.assign(
      file.id,
      `status = 'hot', hot_key = upload_key, sha256 = null, synced_at = null, evicted_at = null`,
    )
    await two.assignCopies(file.id, `state = 'planned', blob_id = null, stored_at = null, due_at = now()`)
    await two.database.sql(`delete from copy where network = 'old'`)
    const leaving = { NETWORK_OLD_ROLE: 'leaving' }
    const { rows } = await two.run(reconcile, ['--fix', '--json'], leaving)
    expect(rows).toMatchObject([{ difference: 'copied', networks: 'old', outcome: 'repaired' }])
    await two.store(file, 'lake')
    expect(await two.read(file.id)).toMatchObject({ status: 'synced', sha256: file.sha256 })
    expect((await two.copy(file, 'lake')).state).toBe('stored')
  })

  it('draws no conclusion about a network that is not configured', async () => {
    await using two = await setupInstallation('lake', 'away')
    const file = await two.coldFile()
    await two.loseCopy(file, 'lake')
    const without = networksEnvironment({ lake: { dir: two.directoryOf('lake').path } })
    const { rows } = await two.run(reconcile, ['--fix', '--json'], without)
    expect(rows).toMatchObject([{ difference: 'uncopied', networks: 'lake' }])
    expect((await two.run(reconcile, ['--fix', '--json'], without)).rows).toEqual([])
    expect((await two.read(file.id)).status).toBe('cold')
  })

  it('reports lost bytes if neither tier has a file, and finds them again after a restore', async () => {
    const [hot, synced, cold] = [await t.hotFile('back'), await t.syncedFile(), await t.coldFile('kept aside')]
    for (const file of [hot, synced]) await loseObject(file)
    const { blobId, reference } = await t.copy(cold)
    const entry = join(t.directory.path, must(blobId), reference)
    const aside = `${t.directory.path}.copy`
    await rename(entry, aside)
    await t.loseCopy(synced)
    const { rows, failure } = await t.run(reconcile, ['--fix', '--json'])
    expect(failure).toMatch(/the bytes of \d+ files are lost/)
    for (const { id } of [hot, synced, cold]) {
      expect(rows.find(({ fileId }) => fileId === id)).toMatchObject({ difference: 'lost', outcome: 'in_error' })
      expect(await t.read(id)).toMatchObject({
        status: 'error',
        errorCode: 'content_lost',
        error: 'The bytes of the file are lost',
      })
      expect((await t.events(id)).at(-1)).toBe('file.error')
    }
    expect((await t.run(reconcile, ['--fix', '--json'])).failure).toBeNull()

    const body = (async function* () {
      yield Buffer.from('back')
    })()
    await t.hotTier.store(must(hot.hotKey), { mimeType: 'image/png', body }, AbortSignal.timeout(10_000))
    await t.run(redrive, ['--file', hot.id])
    expect((await t.read(hot.id)).status).toBe('hot')
    // Sync restores lost copies automatically.
    await rename(aside, entry)
    await t.store(cold)
    expect(await t.read(cold.id)).toMatchObject({ status: 'cold', errorCode: null })
    expect(await t.copyOf(cold)).toBe('kept aside')
  })

  it('repairs a file whose last copy has its bytes but not their tree, instead of reporting it lost', async () => {
    const file = await t.coldFile('x'.repeat(2_000_000))
    const { blobId, reference } = await t.copy(file)
    const content = join(t.directory.path, must(blobId), reference)
    await rm(`${content}.dag`)
    expect(await t.run(reconcile, ['--fix', '--json'])).toMatchObject({ rows: [], failure: null })
    expect(await t.read(file.id)).toMatchObject({ status: 'cold', version: file.version })
    expect(await t.events(file.id)).toContain('copy.mended')
    await expect(access(`${content}.dag`)).resolves.toBeUndefined()
  })

  it('skips a file that is in the trash, or that a process works on', async () => {
    const [stored, evicted, trashed] = [await t.hotFile(), await t.provedFile(), await t.hotFile()]
    for (const file of [stored, evicted, trashed]) await loseObject(file)
    must(await claimFor(t.writes, { fileId: stored.id, network: 'embedded' }, 'store'))
    must(await claimFor(t.writes, { fileId: evicted.id }, 'evict'))
    await t.trash(trashed)
    const { rows, failure } = await t.run(reconcile, ['--fix', '--json'])
    for (const { id, status } of [stored, evicted]) {
      expect(rows.find(({ fileId }) => fileId === id)).toMatchObject({ outcome: 'changed' })
      expect((await t.read(id)).status).toBe(status)
    }
    expect(rows.find(({ fileId }) => fileId === trashed.id)).toBeUndefined()
    expect(failure).toContain('differ')
  })

  it('checks again under the claim, and keeps a file whose bytes have returned', async () => {
    const lost = { kind: 'lost', missing: [], found: [] } as const
    for (const file of [await t.hotFile(), await t.syncedFile(), await t.coldFile()]) {
      expect(await repair({ ...t, log }, file, lost, { signal: never })).toBe('changed')
      expect(await t.read(file.id)).toMatchObject({ status: file.status, version: file.version, claimedUntil: null })
    }
  })

  it('draws no conclusion from a missing bucket or volume', async () => {
    const [hot, cold] = [await t.hotFile(), await t.coldFile()]
    for (const args of [['--json'], ['--fix', '--json']]) {
      const { rows, failure } = await t.run(reconcile, args, { S3_BUCKET: 'no-such-bucket' })
      expect({ rows, failure }).toEqual({ rows: [], failure: expect.any(String) })
    }
    await t.takeNetworkDown()
    expect(await t.run(reconcile, ['--fix', '--json'])).toMatchObject({
      rows: [],
      failure: expect.stringContaining('marker'),
    })
    await t.bringNetworkUp()
    expect([(await t.read(hot.id)).status, (await t.read(cold.id)).status]).toEqual(['hot', 'cold'])
  })

  it('continues after an ID, and starts at a time', async () => {
    const [first, second] = [await t.hotFile(), await t.hotFile()]
    for (const file of [first, second]) await loseObject(file)
    const found = async (...args: string[]) =>
      (await t.run(reconcile, ['--json', ...args])).rows.map(({ fileId }) => fileId)
    expect(await found('--after', first.id)).toEqual([second.id])
    expect(await found('--since', new Date(Date.now() + 3_600_000).toISOString())).toEqual([])
    expect(new Set(await found('--since', first.createdAt.toISOString()))).toEqual(new Set([first.id, second.id]))
  })
})

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { must, never } from '@tideport/file-lifecycle/test/bundle'
import { claimDue } from '@tideport/file-lifecycle/work/claim'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reconcile } from '../../src/reconcile/reconcile.ts'
import { repair } from '../../src/reconcile/repair.ts'
import { redrive } from '../../src/redrive.ts'
import { setupInstallation, type TestInstallation } from '../installation.ts'

let t: TestInstallation
beforeEach(async () => {
  t = await setupInstallation()
})
afterEach(() => t[Symbol.asyncDispose]())

const loseObject = async (file: FileRow) => await t.hotTier.remove(must(file.hotKey))
const loseCopy = async ({ id, blobId }: FileRow) => {
  for (const name of [id, `${id}.dag`]) await rm(join(t.directory.path, must(blobId), name))
}

/** What a restore to an earlier point in time leaves of the row. */
const rollBack = (file: FileRow, status: 'uploading' | 'hot' | 'synced') =>
  t.assign(
    file.id,
    {
      uploading: `status = 'uploading', confirmed_at = null, hot_key = upload_key, sync_due_at = null, network = null,
        blob_id = null, network_ref = null, sha256 = null, synced_at = null, evicted_at = null, evict_due_at = null`,
      hot: `status = 'hot', hot_key = upload_key, sync_due_at = now(), network = null, blob_id = null, network_ref = null,
        sha256 = null, synced_at = null, evicted_at = null, evict_due_at = null`,
      synced: `status = 'synced', hot_key = upload_key, evicted_at = null, evict_due_at = now() + interval '1 day'`,
    }[status],
  )

/** Of the file alone: each test has made its own. */
async function reconciled(file: FileRow, ...args: string[]) {
  const { rows, failure } = await t.run(reconcile, ['--json', ...args])
  return { row: rows.find(({ fileId }) => fileId === file.id), failure }
}

const bytesOutside = async (file: FileRow) => (await t.traces(file)).toSorted()

describe('operator reconcile', () => {
  it('finds nothing where rows and tiers accord, in whatever state', async () => {
    await t.begin(5)
    await t.fail(await t.hotFile())
    for (const make of [t.hotFile, t.syncedFile, t.coldFile]) await make()
    expect(await t.run(reconcile, ['--fix', '--json'])).toMatchObject({ rows: [], failure: null })
  })

  it('changes nothing without --fix, and fails when something differs', async () => {
    const file = await t.hotFile()
    await loseObject(file)
    const { row, failure } = await reconciled(file)
    expect(row).toMatchObject({ difference: 'lost', outcome: 'left', status: 'hot' })
    expect(failure).toContain('differ from what is there')
    expect((await t.read(file.id)).version).toBe(file.version)
  })

  it('lets a hot file whose object is gone go on from the copy that the network turns out to hold', async () => {
    const file = await t.coldFile('of the network')
    await rollBack(file, 'hot')
    expect((await reconciled(file, '--fix')).row).toMatchObject({ difference: 'copied', outcome: 'repaired' })
    const repaired = await t.read(file.id)
    expect(repaired).toMatchObject({ status: 'hot', blobId: file.blobId, claimedUntil: null })
    expect(await claimDue(t.db, file.id, 'sync')).not.toBeNull()
    expect(await t.copyOf(file)).toBe('of the network')
  })

  it('confirms an upload whose object is there, or whose copy is', async () => {
    const [stored, copied] = [await t.hotFile(), await t.coldFile()]
    await rollBack(stored, 'uploading')
    await rollBack(copied, 'uploading')
    await t.database.sql('update account set open_uploads = 2, hot_bytes = hot_bytes - 5')
    const { rows } = await t.run(reconcile, ['--fix', '--json'])
    expect(rows.find(({ fileId }) => fileId === stored.id)).toMatchObject({ difference: 'stored', outcome: 'repaired' })
    expect(rows.find(({ fileId }) => fileId === copied.id)).toMatchObject({ difference: 'copied', outcome: 'repaired' })
    expect(await t.read(stored.id)).toMatchObject({ status: 'hot', blobId: null })
    expect(await t.read(copied.id)).toMatchObject({ status: 'hot', blobId: copied.blobId })
  })

  it('sends a synced file whose object is gone on to cold, once its copy is proved', async () => {
    const [proved, damaged] = [await t.syncedFile('good'), await t.syncedFile('bad')]
    for (const file of [proved, damaged]) await loseObject(file)
    await t.directory.corrupt(join(must(damaged.blobId), damaged.id))
    const { rows } = await t.run(reconcile, ['--fix', '--json'])
    expect(rows.find(({ fileId }) => fileId === proved.id)).toMatchObject({
      difference: 'evicted',
      outcome: 'repaired',
    })
    expect(rows.find(({ fileId }) => fileId === damaged.id)).toMatchObject({ outcome: 'unproved' })
    expect(await t.read(proved.id)).toMatchObject({ status: 'synced', evictingAt: expect.any(Date) })
    expect(await t.read(damaged.id)).toMatchObject({ status: 'synced', evictingAt: null })
  })

  it('syncs a file anew whose copy is gone while its hot bytes are there', async () => {
    const file = await t.syncedFile()
    await loseCopy(file)
    expect((await reconciled(file, '--fix')).row).toMatchObject({ difference: 'uncopied', outcome: 'repaired' })
    expect(await t.read(file.id)).toMatchObject({ status: 'hot', syncedAt: null })
    expect(await t.events(file.id)).toEqual(['file.hot', 'file.synced', 'file.error', 'retry.accepted'])
    expect(await bytesOutside(file)).toEqual(['object'])
  })

  it('does not rely on hot bytes that an eviction may be deleting: they stay in error until a retry', async () => {
    const file = await t.syncedFile()
    await loseCopy(file)
    await t.assign(file.id, 'evicting_at = now()')
    expect((await reconciled(file, '--fix')).row).toMatchObject({ difference: 'uncopied', outcome: 'in_error' })
    expect(await t.read(file.id)).toMatchObject({ status: 'error', errorCode: 'proof_failed' })
  })

  it('says of a file that neither tier has that its bytes are lost, and finds them again when they are restored', async () => {
    const [hot, synced, cold] = [await t.hotFile('back'), await t.syncedFile(), await t.coldFile()]
    for (const file of [hot, synced]) await loseObject(file)
    for (const file of [synced, cold]) await loseCopy(file)
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
    const body = (async function* () {
      yield Buffer.from('back')
    })()
    await t.hotTier.store(must(hot.hotKey), { mimeType: 'image/png', body }, AbortSignal.timeout(10_000))
    await t.run(redrive, ['--all', '--error', 'content_lost'])
    expect((await t.read(hot.id)).status).toBe('hot')
  })

  it('leaves a file alone that somebody works for, and one in the trash', async () => {
    const [claimed, trashed] = [await t.hotFile(), await t.hotFile()]
    for (const file of [claimed, trashed]) await loseObject(file)
    must(await claimDue(t.db, claimed.id, 'sync'))
    await t.trash(trashed)
    const { rows, failure } = await t.run(reconcile, ['--fix', '--json'])
    expect(rows.find(({ fileId }) => fileId === claimed.id)).toMatchObject({ outcome: 'changed' })
    expect(rows.find(({ fileId }) => fileId === trashed.id)).toBeUndefined()
    expect(failure).toContain('differ')
    expect((await t.read(claimed.id)).status).toBe('hot')
  })

  it('looks again under the claim: what came back meanwhile is not given up', async () => {
    for (const file of [await t.hotFile(), await t.syncedFile(), await t.coldFile()]) {
      expect(await repair(t, file, 'lost', { copy: undefined, signal: never })).toBe('changed')
      expect(await t.read(file.id)).toMatchObject({ status: file.status, version: file.version, claimedUntil: null })
    }
  })

  it('concludes nothing from a bucket or a volume that is not there', async () => {
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

  it('goes on after an id, and begins at a time', async () => {
    const [first, second] = [await t.hotFile(), await t.hotFile()]
    for (const file of [first, second]) await loseObject(file)
    const found = async (...args: string[]) =>
      (await t.run(reconcile, ['--json', ...args])).rows.map(({ fileId }) => fileId)
    expect(await found('--after', first.id)).toEqual([second.id])
    expect(await found('--since', new Date(Date.now() + 3_600_000).toISOString())).toEqual([])
    expect(new Set(await found('--since', first.createdAt.toISOString()))).toEqual(new Set([first.id, second.id]))
  })
})

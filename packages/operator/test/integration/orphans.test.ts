import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { never } from '@tideport/file-lifecycle/testing/bundle'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { orphans } from '../../src/orphans/orphans.ts'
import { setupInstallation, type TestInstallation } from '../installation.ts'

let t: TestInstallation
beforeEach(async () => {
  t = await setupInstallation()
})
afterEach(() => t[Symbol.asyncDispose]())

/** The objects of a file whose row a restored database lacks. */
async function strangers() {
  const fileId = randomUUID()
  const key = `hot/${fileId}/${randomUUID()}`
  const body = () => Readable.from([Buffer.from('whose?')])
  await t.hotTier.store(key, { mimeType: 'text/plain', body: body() }, never)
  const upload = `hot/${randomUUID()}/${randomUUID()}`
  await t.hotTier.beginUpload(upload, 'text/plain')
  const reference = `${fileId}_1`
  await using staged = await t.network.stage(body(), { reference, signal: never })
  await staged.commit()
  return { fileId, key, upload, copy: { blobId: staged.blobId, reference, ref: {} } }
}

/** Test databases are clones with the same installation ID until it is changed. */
async function another() {
  const other = await setupInstallation()
  await other.database.sql('update installation set id = gen_random_uuid()')
  return other
}

const names = (rows: { name: string }[]) => rows.map(({ name }) => name).toSorted()

describe('operator orphans', () => {
  it('lists objects without a row, and nothing named after an existing file', async () => {
    const { key, upload, copy } = await strangers()
    const { file: open } = await t.begin(5)
    const files = [open, await t.hotFile(), await t.syncedFile(), await t.coldFile()]
    // As after a restore: the row does not name its copy yet.
    const early = await t.syncedFile()
    await t.assign(early.id, `status = 'hot', synced_at = null, sha256 = null`)
    await t.assignCopies(early.id, `state = 'planned', blob_id = null, stored_at = null`)
    const unconfirmed = await t.syncedFile()
    await t.database.sql('delete from copy where file_id = $1', [unconfirmed.id])
    await t.hotTier.store('hot/readme.txt', { mimeType: 'text/plain', body: Readable.from([]) }, never)

    const { rows, failure } = await t.run(orphans, ['--older-than', '0s', '--json'])
    expect(failure).toBeNull()
    expect(names(rows)).toEqual([key, upload, copy.blobId].toSorted())
    expect(await t.run(orphans, ['--json'])).toMatchObject({ rows: [] }) // younger than 7 days
    for (const file of [...files, early, unconfirmed]) expect(await t.traces(file)).not.toEqual([])
  })

  it('deletes with --delete exactly the objects that it lists', async () => {
    const { key, copy } = await strangers()
    const files = [await t.hotFile(), await t.syncedFile(), await t.coldFile()]
    const before = await Promise.all(files.map(t.traces))
    expect((await t.run(orphans, ['--mark-bucket'])).failure).toBeNull()
    expect((await t.run(orphans, ['--delete'])).failure).toBeNull()
    expect(await t.hotTier.head(key)).toBe(6)

    await t.run(orphans, ['--delete', '--older-than', '0s'])
    expect(await t.hotTier.head(key)).toBeNull()
    expect((await t.network.stat(copy, never)).state).toBe('absent')
    expect((await t.run(orphans, ['--older-than', '0s', '--json'])).rows).toEqual([])
    expect(await Promise.all(files.map(t.traces))).toEqual(before)
  })

  it('lists, on every network, copies that no row references, once the file has a proved copy', async () => {
    await using two = await setupInstallation('lake', 'disk')
    const file = await two.coldFile()
    const stage = async (name: string, reference: string) => {
      await using staged = await two
        .networkOf(name)
        .stage(Readable.from([Buffer.from('hello')]), { reference, signal: never })
      await staged.commit()
    }
    await stage('disk', `${file.id}_7`) // no row names it
    await two.database.sql(`update copy set state = 'dropped' where network = 'lake'`)
    const found = async () =>
      (await two.run(orphans, ['--older-than', '0s', '--json'])).rows.map(({ network, reference }) => ({
        network,
        reference,
      }))
    expect(await found()).toEqual([
      { network: 'lake', reference: `${file.id}_1` },
      { network: 'disk', reference: `${file.id}_7` },
    ])
    // An object that may be the last copy of a file must not be deleted.
    await two.database.sql(`update copy set state = 'stored' where network = 'disk'`)
    expect(await found()).toEqual([])
  })

  it('lists and deletes late objects and uploads that a file with a proved copy does not name', async () => {
    const [cold, back, synced] = [await t.coldFile(), await t.coldFile(), await t.provedFile('hello')]
    await t.assign(cold.id, 'cleanup_after = null')
    const key = ({ id }: { id: string }) => `hot/${id}/${randomUUID()}`
    const store = (name: string) =>
      t.hotTier.store(name, { mimeType: 'text/plain', body: Readable.from([Buffer.from('late!')]) }, never)
    const late = [key(cold), cold.uploadKey, key(back)]
    const upload = key(cold)
    await t.hotTier.beginUpload(upload, 'text/plain')
    const named = key(back)
    await t.assign(back.id, `rehydrate_key = '${named}'`)
    for (const name of [...late, named]) await store(name)
    const listed = async () => names((await t.run(orphans, ['--older-than', '0s', '--json'])).rows)
    expect(await listed()).toEqual([...late, upload].toSorted())

    // The client may still upload to this key, so the object is deleted later.
    await t.assign(cold.id, `cleanup_after = now() + interval '1 hour'`)
    expect(await listed()).toEqual([...late.filter((name) => name !== cold.uploadKey), upload].toSorted())
    // An object that may be the last copy of a file must not be deleted.
    await t.assignCopies(cold.id, `state = 'stored'`)
    expect(await listed()).toEqual([late.at(-1)])
    await t.assignCopies(cold.id, `state = 'proved'`)
    await t.assign(cold.id, 'cleanup_after = null')

    expect((await t.run(orphans, ['--mark-bucket'])).failure).toBeNull()
    await t.run(orphans, ['--delete', '--older-than', '0s'])
    expect(await Promise.all(late.map((name) => t.hotTier.head(name)))).toEqual([null, null, null])
    expect(await t.hotTier.head(named)).toBe(5)
    expect(await t.hotTier.head(synced.uploadKey)).toBe(5)
    expect(await listed()).toEqual([])
  })

  it('deletes nothing from a bucket that is not marked for this installation', async () => {
    const { key } = await strangers()
    expect((await t.run(orphans, ['--delete', '--older-than', '0s'])).failure).toContain('no marker')
    await using other = await another()
    await other.run(orphans, ['--mark-bucket'], { S3_BUCKET: t.bucket.bucket })
    expect((await t.run(orphans, ['--delete', '--older-than', '0s'])).failure).toContain('belongs to installation')
    expect((await t.run(orphans, ['--mark-bucket'])).failure).toContain('belongs to installation')
    expect(await t.hotTier.head(key)).toBe(6)
  })

  it("deletes nothing with another installation's database, or without a database", async () => {
    const file = await t.coldFile()
    await t.run(orphans, ['--mark-bucket'])
    await using other = await another()
    const wrong = { DATABASE_URL: other.database.url }
    expect((await t.run(orphans, ['--delete', '--older-than', '0s'], wrong)).failure).toContain('of installation')
    const list = await t.run(orphans, ['--json', '--older-than', '0s'], wrong)
    expect(list).toMatchObject({ rows: [], failure: expect.stringContaining('of installation') })
    const away = { DATABASE_URL: 'postgres://files:x@127.0.0.1:1/tideport' }
    expect((await t.run(orphans, ['--delete', '--older-than', '0s'], away)).failure).not.toBeNull()
    expect(await t.copyOf(file)).toBe('hello')
  })
})

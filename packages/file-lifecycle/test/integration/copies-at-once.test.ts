import { setUpOnce } from '@tideport/testing/set-up-once'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { type ClaimedCopy as Claimed, markCopyFailed, markStored, nameCopy } from '../../src/state/copy-transitions.ts'
import type { FileRow } from '../../src/state/tables.ts'
import { claimFor } from '../../src/work/claim-step.ts'
import { must, names } from '../bundle.ts'
import { setupStoring } from '../storing.ts'

const network = 'embedded'
const blob = { blobId: 'bafy', ref: { at: 'here' } }
const held = { blobId: 'bafy', sha256: 'ab'.repeat(32), billedBytes: 5, leaseExpiresAt: null, hotRetentionSeconds: 60 }

const t = setUpOnce(setupStoring)

async function hotFiles(count: number) {
  const files: FileRow[] = []
  for (let index = 0; index < count; index += 1) files.push(await t.hotFile(`file ${index}`))
  const ids = files.map(({ id }) => id)
  const claim = (fileIds = ids) =>
    Promise.all(fileIds.map((fileId) => claimFor(t.writes, { fileId, network }, 'store')))
  return { files, ids, claim }
}

it('concurrent stores write, publish, and count each file as a single store does', async () => {
  const { files } = await hotFiles(12)
  await Promise.all(files.map((file) => t.store(file)))
  for (const { id } of files) {
    expect(await t.read(id)).toMatchObject({ status: 'synced' })
    expect(await t.copy({ id })).toMatchObject({ state: 'stored', attempt: 0, claimedUntil: null, unfinishedClaims: 0 })
    expect(await t.events(id)).toEqual(['file.hot', 'file.copied', 'file.synced'])
  }
  const blobs = await t.database.sql(`select count(distinct blob_id) from copy`)
  expect(blobs).toEqual([{ count: '12' }])
})

it('concurrent stores share a few statements', async () => {
  const { claim } = await hotFiles(12)
  const claimed = (await claim()).map(must)
  const named = await Promise.all(claimed.map((one) => nameCopy(t.writes, one, blob)))
  const toStore = claimed.map((one, index) => ({ ...one, file: must(named[index]) }))
  const stored = await Promise.all(toStore.map((one) => markStored(t.writes, one, names, held)))
  expect(stored.map((file) => file?.status)).toEqual(Array(12).fill('synced'))
  const [written] = await t.database.sql('select count(distinct xmin::text)::integer as statements from file')
  expect(written?.['statements']).toBeLessThan(12)
})

it('concurrent workers claim a copy once, and not before it is due', async () => {
  const { ids, claim } = await hotFiles(3)
  const [first, , late] = ids as [string, string, string]
  await t.assignCopies(late, `due_at = now() + interval '1 hour'`)
  const asked = await Promise.all([claim([first, first]), claim()])
  const tokens = asked.flat().map((claimed) => claimed?.copy.fencingToken ?? null)
  expect(tokens.filter(Boolean)).toEqual([1, 1])
  expect(asked[1]?.[2]).toBeNull()
})

it('a batch leaves out copies that changed since their claim, and writes nothing for them', async () => {
  const { claim } = await hotFiles(4)
  const [renamed, overtaken, trashed, plain] = (await claim()).map(must) as [Claimed, Claimed, Claimed, Claimed]
  const claimed = [renamed, overtaken, trashed, plain]
  await t.assign(renamed.file.id, `name = 'new', version = version + 1`)
  await t.assignCopies(overtaken.file.id, 'fencing_token = fencing_token + 1')
  await t.assign(trashed.file.id, 'deleted_at = now()')
  const named = await Promise.all(claimed.map((one) => nameCopy(t.writes, one, blob)))
  expect(named.map((file) => file?.version ?? null)).toEqual([null, null, null, plain.file.version + 1])
  const toStore = claimed.map((one, index) => ({ ...one, file: named[index] ?? one.file }))
  const stored = await Promise.all(toStore.map((one) => markStored(t.writes, one, names, held)))
  expect(stored.map((file) => file?.status ?? null)).toEqual([null, null, null, 'synced'])
  expect(await t.copy(plain.file)).toMatchObject({ ...blob, state: 'stored' })
  for (const vaultDeletedAt of ['null', 'now()']) {
    await t.database.sql(`update vault set deleted_at = ${vaultDeletedAt}`)
    for (const one of claimed.slice(0, 3)) {
      expect(await markCopyFailed(t.db, one, names, 'sync_failed')).toBeNull()
      expect(await t.copy(one.file)).toMatchObject({ blobId: null, state: 'planned' })
      expect(await t.events(one.file.id)).toEqual(['file.hot'])
    }
  }
})

it('a locked file does not delay other files', async () => {
  const { files } = await hotFiles(4)
  const [stuck, ...others] = files
  const holder = await t.db.startTransaction().execute()
  await sql`select from file where id = ${must(stuck).id} for update`.execute(holder)
  const waiting = t.store(must(stuck))
  await Promise.all(others.map((file) => t.store(file)))
  for (const { id } of others) expect(await t.read(id)).toMatchObject({ status: 'synced' })
  await holder.rollback().execute()
  await waiting
  expect(await t.read(must(stuck).id)).toMatchObject({ status: 'synced' })
})

it('a claim waits for a locked copy', async () => {
  const { ids, claim } = await hotFiles(2)
  const [fileId = ''] = ids
  const holder = await t.db.startTransaction().execute()
  await sql`select from copy where file_id = ${fileId} for update`.execute(holder)
  const waiting = claim([fileId])
  expect(await claim(ids.slice(1))).toMatchObject([{ copy: { fencingToken: 1 } }])
  await holder.rollback().execute()
  expect(await waiting).toMatchObject([{ copy: { fencingToken: 1 } }])
})

import { indexNames } from '@tideport/file-lifecycle/state/index-names'
import { isFullRun } from '@tideport/testing/full-run'
import { rowsReadSoFar, settleTables } from '@tideport/testing/rows-read-so-far'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROWS_MAX } from '../../src/lists/bounded-scan.ts'
import { sharedBundle } from '../bundle.ts'
import { clientOf, insertFiles, visitorOf } from '../client.ts'
import { makeSynced } from '../later-states.ts'

const FILES = 20_000
/** The rows of one walk plus a few index searches. */
const READ_MAX = 4 * ROWS_MAX

// With a single connection, the test can flush its statistics immediately.
const t = sharedBundle({ env: { DATABASE_POOL_SIZE: '1' } })
const one = clientOf(t)
const trashing = clientOf(t)
beforeAll(async () => {
  await fill(one, await one.defaultVault())
})

async function fill({ accountId }: { accountId: string }, vaultId: string) {
  await insertFiles(t, { accountId, vaultId }, FILES, {
    ...{ name: `md5(n::text) || '.jpg'`, mime_type: `'image/jpeg'` },
    ...{ status: `case when n % 100 = 0 then 'hot' else 'cold' end`, created_at: 'now() - make_interval(secs => n)' },
  })
  while (await indexNames(t)) {}
  await settleTables(t.database.sql, 'file', 'vault')
}

/** Rows of files that Postgres reads for a page of this list, after it has chosen a generic plan. */
async function rowsRead(client: typeof one, path: string): Promise<number> {
  for (let round = 0; round < 7; round += 1) expect((await client.call('GET', path)).status).toBe(200)
  const before = await readSoFar()
  expect((await client.call('GET', path)).status).toBe(200)
  return (await readSoFar()) - before
}

const readSoFar = () => rowsReadSoFar(t.db, 'file')

const pages = [
  '/api/files?',
  '/api/files?order=asc',
  '/api/files?sortBy=name',
  '/api/files?status=hot',
  '/api/files?q=a',
  '/api/files?q=nothing',
  '/api/files?q=nothing&sortBy=name',
  '/api/files?trashed=true',
  '/api/trash?',
]

/** Each of these excludes most files, and no index covers all of its conditions in its order. */
const narrow = [
  '/api/files?q=zz',
  '/api/files?q=---',
  '/api/files?q=zz&mimeType=image/jpeg&status=cold',
  '/api/files?mimeType=image/*&status=error&sortBy=name',
  '/api/files?mimeType=image/jpeg&q=nothing',
  '/api/files?mimeType=image/*&q=zz',
  '/api/files?mimeType=video/*',
  '/api/files?mimeType=image/gif&sortBy=name',
  '/api/files?status=error&status=uploading',
  '/api/files?status=error&status=uploading&sortBy=name',
  '/api/files?createdBefore=2020-01-01T00:00:00Z',
  '/api/files?createdBefore=2020-01-01T00:00:00Z&sortBy=name&q=zz',
  '/api/files?trashed=true&q=zz&mimeType=image/gif',
]

describe('a page is read without the rest of the list', () => {
  it.each(pages)('for the only account, whose files are all in one vault: GET %s', async (path) => {
    expect(await rowsRead(one, path)).toBeLessThanOrEqual(READ_MAX)
  })

  it.each(narrow)('with filters that exclude most files: GET %s', async (path) => {
    expect(await rowsRead(one, path)).toBeLessThanOrEqual(READ_MAX)
  })

  it('for an account that has trashed many files individually', async () => {
    const tidy = clientOf(t)
    const vaultId = await tidy.defaultVault()
    await fill(tidy, vaultId)
    // Trashes all files except the oldest one, which is last in the default order.
    await t.database.sql(
      `update file set deleted_at = now(), purge_due_at = now() + interval '30 days', version = version + 1
       where account_id = $1 and created_at > (select min(created_at) from file where account_id = $1)`,
      [tidy.accountId],
    )
    await settleTables(t.database.sql, 'file', 'vault')
    const ofVault = `/api/files?vaultId=${vaultId}`
    for (const path of [...pages, ofVault, `${ofVault}&sortBy=name`]) {
      expect.soft(await rowsRead(tidy, path), path).toBeLessThanOrEqual(READ_MAX)
    }
    expect((await tidy.call('GET', '/api/files')).body.files).toHaveLength(1)
  })

  it.runIf(isFullRun)('for an account that has trashed a large vault', async () => {
    const { id } = await trashing.createVault('Large', 'private')
    const kept = await trashing.hotFile('older than all in the trash')
    await t.database.sql(`update file set created_at = now() - interval '1 year' where id = $1`, [kept.id])
    await fill(trashing, id)
    expect((await trashing.call('DELETE', `/api/vaults/${id}?force=true`)).status).toBe(200)
    for (const path of [...pages, ...narrow])
      expect.soft(await rowsRead(trashing, path), path).toBeLessThanOrEqual(READ_MAX)
    const { files } = (await trashing.call('GET', '/api/files')).body
    expect(files.map((file: { id: string }) => file.id)).toEqual([kept.id])
    for (const query of ['limit=100', 'limit=100&sortBy=name&order=asc']) {
      const seen = await firstPages(`/api/trash?${query}`)
      expect(seen).toHaveLength(300)
      expect(new Set(seen).size).toBe(300)
    }
  })
})

describe('other reads', () => {
  it('a page of a timeline is read without the rest of the timeline', async () => {
    const EVENTS = 5000
    const file = await one.hotFile('hello')
    await t.database.sql(
      `insert into event (id, subject_kind, subject_id, account_id, type, is_public, at, payload, request_id, traceparent)
       select gen_random_uuid(), 'file', $1, $2, 'store.failed', false, now() + make_interval(secs => n), '{}', '', ''
       from generate_series(1, ${EVENTS}) as n`,
      [file.id, one.accountId],
    )
    await settleTables(t.database.sql, 'event')
    const eventsRead = () => rowsReadSoFar(t.db, 'event')
    for (let round = 0, cursor = ''; round < 8; round += 1) {
      const before = await eventsRead()
      const { body } = await one.call('GET', `/api/files/${file.id}/timeline?limit=100${cursor}`)
      expect(body.timeline).toHaveLength(100)
      expect((await eventsRead()) - before).toBeLessThan(EVENTS / 10)
      cursor = `&cursor=${body.nextCursor}`
    }
  })

  it('a blob is found without reading all files that share it', async () => {
    const { id } = await one.hotFile('popular')
    const blobId = await makeSynced(t, id)
    await t.database.sql(
      `with files as (
         insert into file (id, account_id, vault_id, name, mime_type, size_bytes, status, upload_key, upload_expires_at,
           confirmed_at, synced_at)
         select gen_random_uuid(), account_id, vault_id, 'n', 'image/png', 7, 'synced', 'k', now(), now(), now()
         from file, generate_series(1, 5000) where id = $1
         returning id, synced_at
       )
       insert into copy (file_id, network, reference, blob_id, state, stored_at, file_synced_at)
       select id, 'embedded', id || '_1', $2, 'stored', synced_at, synced_at from files`,
      [id, blobId],
    )
    await settleTables(t.database.sql, 'file', 'copy', 'vault')
    const rows = () => rowsReadSoFar(t.db, 'file', 'copy')
    for (let round = 0; round < 8; round += 1) {
      const before = await rows()
      expect((await visitorOf(t)(`/api/public/blobs/${blobId}`)).bytes.toString()).toBe('popular')
      expect((await rows()) - before).toBeLessThan(50)
    }
  })
})

async function firstPages(path: string): Promise<string[]> {
  const ids: string[] = []
  for (let page = 0, cursor = ''; page < 3; page += 1) {
    const { body } = await trashing.call('GET', path + cursor)
    ids.push(...body.files.map((file: { id: string }) => file.id))
    cursor = `&cursor=${body.nextCursor}`
  }
  return ids
}

import { rowsReadSoFar, settleTables } from '@tideport/testing/rows-read-so-far'
import { type Random, withSeed } from '@tideport/testing/with-seed'
import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { allPages, type Client, clientOf, insertFiles, visitorOf } from '../client.ts'

const FILES = 20_000

// With a single connection, the test can flush its statistics immediately.
const t = sharedBundle({ env: { DATABASE_POOL_SIZE: '1' } })

interface Entry {
  folder: string
  name: string
  status?: string
}

async function vaultWith(files: readonly Entry[], client: Client = clientOf(t)) {
  const vault = await client.createVault('Listed', 'public')
  await t.database.sql(
    `insert into file (id, account_id, vault_id, folder, name, status, mime_type, size_bytes, upload_key,
       upload_expires_at, hot_key, confirmed_at)
     select gen_random_uuid(), $1, $2, folder, name, status, 'image/jpeg', 1, 'k', now(), 'k', now()
     from unnest($3::text[], $4::text[], $5::text[]) as given (folder, name, status)`,
    [
      client.accountId,
      vault.id,
      ...(['folder', 'name'] as const).map((part) => files.map((file) => file[part])),
      files.map(({ status = 'hot' }) => status),
    ],
  )
  return { client, vault }
}

/** All pages of a list. */
async function readAll(read: Parameters<typeof allPages>[0], query: string) {
  const pages = await allPages(read, query)
  const of = (list: { path: string }[] = []) => list.map(({ path }) => path)
  return {
    files: pages.flatMap(({ files }) => of(files)),
    folders: pages.flatMap(({ folders }) => of(folders)),
  }
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** The expected list, computed in the simplest way. */
function expected(paths: readonly string[], prefix: string, delimiter: boolean) {
  const below = paths.filter((path) => path.startsWith(prefix)).toSorted(byBytes)
  const folderOf = (path: string) => {
    const end = path.indexOf('/', prefix.length)
    return delimiter && end >= 0 ? path.slice(0, end + 1) : null
  }
  return {
    files: below.filter((path) => folderOf(path) === null),
    folders: [...new Set(below.flatMap((path) => folderOf(path) ?? []))],
  }
}

const parts = ['a', 'b', 'a.', 'a-', 'a0', 'é', '日', '\u{1F5C2}', '!', 'z z', '%_', 'A', '\u{10FFFF}']
function randomPath(random: Random): string {
  const pick = () => parts[Math.floor(random() * parts.length)] as string
  return Array.from({ length: 1 + Math.floor(random() * 4) }, pick).join('/')
}
const placed = (path: string): Entry => {
  const end = path.lastIndexOf('/') + 1
  return { folder: path.slice(0, end), name: path.slice(end) }
}

describe('a list by path', () => {
  it('contains paths with the prefix in byte order, and each folder once, with any page size', async () => {
    await withSeed(async (random) => {
      const paths = Array.from({ length: 250 }, () => randomPath(random))
      const { client, vault } = await vaultWith(paths.map(placed))
      const own = (query: string) => client.call('GET', `/api/files?vaultId=${vault.id}&${query}`)
      const shown = (query: string) => visitorOf(t)(`/api/public/vaults/${client.accountId}/${vault.slug}?${query}`)
      for (const prefix of ['', 'a/', 'a', 'é/日/', '\u{10FFFF}', 'none', 'a/a']) {
        for (const delimiter of [true, false]) {
          const query = [
            `limit=${1 + Math.floor(random() * 20)}`,
            'sortBy=path',
            ...(prefix ? [`prefix=${encodeURIComponent(prefix)}`] : []),
            ...(delimiter ? ['delimiter=/'] : []),
          ].join('&')
          for (const read of [own, shown]) {
            const wanted = expected(paths, prefix, delimiter)
            expect(await readAll(read, query), query).toEqual(wanted)
            const back = await readAll(read, `${query}&order=desc`)
            expect(back.files.toReversed(), query).toEqual(wanted.files)
            expect(back.folders.toReversed(), query).toEqual(wanted.folders)
          }
        }
      }
      const all = await readAll(own, 'sortBy=path&order=desc&limit=7')
      expect(all.files).toEqual(expected(paths, '', false).files.toReversed())
      const newest = await readAll(own, 'prefix=a/&sortBy=createdAt&limit=9')
      expect(newest.files.toSorted(byBytes)).toEqual(expected(paths, 'a/', false).files)
    })
  })

  it('shows a folder only if it contains a listed file', async () => {
    const { client, vault } = await vaultWith([
      { folder: 'open/', name: 'a' },
      { folder: 'open/', name: 'b', status: 'uploading' },
      { folder: 'hidden/', name: 'a', status: 'uploading' },
    ])
    const page = await visitorOf(t)(`/api/public/vaults/${client.accountId}/${vault.slug}?delimiter=/`)
    expect(page.body).toMatchObject({ files: [], folders: [{ path: 'open/' }], nextCursor: null })
    const own = await client.call('GET', `/api/files?vaultId=${vault.id}&delimiter=/&status=uploading`)
    expect(own.body.folders).toEqual([{ path: 'hidden/' }, { path: 'open/' }])
  })

  it('is rejected across vaults, in the trash, for folders in another order, and with a cursor of another list', async () => {
    const { client, vault } = await vaultWith([{ folder: 'a/', name: 'a' }, { folder: 'b/', name: 'a' }]) // biome-ignore format: two files
    const of = `vaultId=${vault.id}`
    for (const query of [
      'prefix=a',
      'delimiter=/',
      'sortBy=path',
      `${of}&prefix=a&trashed=true`,
      `${of}&delimiter=/&sortBy=name`,
      `${of}&delimiter=.`,
      `${of}&prefix=`,
      `${of}&prefix=a%00`,
    ]) {
      expect((await client.call('GET', `/api/files?${query}`)).status, query).toBe(400)
    }
    const { body } = await client.call('GET', `/api/files?${of}&delimiter=/&limit=1`)
    expect(body.folders).toEqual([{ path: 'a/' }])
    for (const other of ['sortBy=path', 'delimiter=/&prefix=a', 'delimiter=/&order=desc']) {
      expect((await client.call('GET', `/api/files?${of}&${other}&cursor=${body.nextCursor}`)).status).toBe(400)
    }
    const foreign = await clientOf(t).call('GET', `/api/files?${of}&delimiter=/`)
    expect(foreign.body).toEqual({ files: [], folders: [], nextCursor: null })
    expect((await client.call('GET', '/api/files?vaultId=none&delimiter=/')).body.folders).toEqual([])
  })

  it('reads rows in proportion to its page, at any position and for any number of files', async () => {
    const client = clientOf(t)
    const { vault } = await vaultWith([], client)
    await insertFiles(t, { ...client, vaultId: vault.id }, FILES, {
      folder: `case when n <= ${FILES / 2} then 'flat/' else 'deep/' || lpad((n / 20)::text, 5, '0') || '/' end`,
      name: `lpad(n::text, 7, '0')`,
    })
    await settleTables(t.database.sql, 'file', 'vault')
    const rowsOf = async (query: string) => {
      const call = () => client.call('GET', `/api/files?vaultId=${vault.id}&${query}`)
      for (let round = 0; round < 7; round += 1) expect((await call()).status).toBe(200)
      const read = async () => {
        return await rowsReadSoFar(t.db, 'file')
      }
      const before = await read()
      const { body } = await call()
      return { rows: (await read()) - before, entries: body.files.length + (body.folders?.length ?? 0), body }
    }
    const top = await rowsOf('delimiter=/')
    expect(top.body.folders).toEqual([{ path: 'deep/' }, { path: 'flat/' }])
    expect(top.rows).toBeLessThan(20)
    for (const query of [
      'prefix=deep/&delimiter=/',
      'prefix=flat/&delimiter=/',
      'prefix=flat/',
      'prefix=flat/0004',
      'sortBy=path',
    ]) {
      const near = await rowsOf(query)
      expect(near.rows, query).toBeLessThan(4 * near.entries + 20)
      let { nextCursor } = near.body
      for (let page = 0; page < 4; page += 1)
        nextCursor = (
          await client.call('GET', `/api/files?vaultId=${vault.id}&${query}&limit=100&cursor=${nextCursor}`)
        ).body.nextCursor
      const far = await rowsOf(`${query}&cursor=${nextCursor}`)
      expect(far.rows, `${query}, far`).toBeLessThan(4 * far.entries + 20)
    }
  })
})

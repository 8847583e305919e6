import { beforeAll, describe, expect, it } from 'vitest'
import { ROWS_MAX } from '../../src/lists/bounded-scan.ts'
import { sharedBundle } from '../bundle.ts'
import { clientOf } from '../client.ts'

interface Seeded {
  name: string
  mimeType: string
  status: string
  isInSecond: boolean
}

/**
 * Newest first. Each condition matches either no files or more files than a search reads from an index. One page cannot
 * reach most of the matches.
 */
const files: Seeded[] = Array.from({ length: 5 * ROWS_MAX }, (_, n) => ({
  name: `${(n * 7919) % (5 * ROWS_MAX)} ${n % 2 === 0 ? 'aa' : 'bb'}`,
  mimeType: n < 2 * ROWS_MAX ? 'image/png' : n % 2 === 0 ? 'text/plain' : 'text/css',
  status: n < 2.5 * ROWS_MAX ? 'cold' : 'hot',
  isInSecond: n % 40 < 20,
}))

const t = sharedBundle()
const client = clientOf(t)
let vaults: [string, string]
beforeAll(async () => {
  vaults = [await client.defaultVault(), (await client.createVault('Second', 'public')).id]
  await t.database.sql(
    `insert into file (id, account_id, vault_id, name, mime_type, size_bytes, status, upload_key, upload_expires_at,
       confirmed_at, created_at)
     select gen_random_uuid(), $1, case when seeded."isInSecond" then $3::uuid else $2::uuid end, seeded.name,
       seeded."mimeType", 0, seeded.status, 'k', now(), now(), now() - make_interval(secs => n)
     from jsonb_array_elements($4::jsonb) with ordinality as element (value, n)
     cross join lateral jsonb_to_record(value) as seeded (name text, "mimeType" text, status text, "isInSecond" boolean)`,
    [client.accountId, ...vaults, JSON.stringify(files)],
  )
})

/** All names of a list, and the number of short pages before the last page. */
async function read(query: Record<string, string>): Promise<{ names: string[]; shortPages: number }> {
  const pages = await client.pages(`/api/files?${new URLSearchParams({ ...query, limit: '100' })}`)
  const names: string[] = pages.flatMap(({ files }) => files.map(({ name }: Seeded) => name))
  return { names, shortPages: pages.slice(0, -1).filter((page) => page.files.length < 100).length }
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const namesOf = (isWanted: (file: Seeded) => boolean) => files.filter(isWanted).map(({ name }) => name)

describe('a list with few matches has short pages, with every file once and in order', () => {
  it.each<[Record<string, string>, (file: Seeded) => boolean]>([
    [{ q: 'zz' }, () => false],
    [{ q: 'bb', mimeType: 'text/plain' }, () => false],
    [{ mimeType: 'text/css', status: 'cold' }, ({ mimeType, status }) => mimeType === 'text/css' && status === 'cold'],
  ])('%j', async (query, isWanted) => {
    const expected = namesOf(isWanted)
    const { names, shortPages } = await read(query)
    expect(names).toEqual(expected)
    expect(shortPages).toBeGreaterThan(0)
    expect((await read({ ...query, sortBy: 'name', order: 'asc' })).names).toEqual(expected.toSorted(byBytes))
  })
})

it('charges for long scans, but not for pages of an index', async () => {
  const costOf = async (query: string) =>
    (await client.call('GET', `/api/files?${query}`)).headers.get('x-tideport-cost')
  expect(await costOf('q=zz')).toBe('5')
  // On a busy machine, a search may time out, which costs more.
  await expect.poll(() => costOf('q=nowhere')).toBe('10')
  for (const query of ['', 'mimeType=text/css', 'status=hot', 'q=aa']) expect(await costOf(query)).toBeNull()
})

describe('a filter with an index has full pages, wherever its files are', () => {
  it.each<[Record<string, string>, (file: Seeded) => boolean]>([
    [{ mimeType: 'TEXT/css' }, ({ mimeType }) => mimeType === 'text/css'],
    [{ mimeType: 'text/*' }, ({ mimeType }) => mimeType.startsWith('text/')],
    [{ mimeType: 'video/*' }, () => false],
    [{ status: 'hot' }, ({ status }) => status === 'hot'],
  ])('%j', async (query, isWanted) => {
    const { names, shortPages } = await read(query)
    expect(names).toEqual(namesOf(isWanted))
    expect(shortPages).toBe(0)
  })

  it('while a vault is in the trash', async () => {
    expect((await client.call('DELETE', `/api/vaults/${vaults[1]}?force=true`)).status).toBe(200)
    const { names, shortPages } = await read({})
    expect(names).toEqual(namesOf(({ isInSecond }) => !isInSecond))
    expect(shortPages).toBe(0)
    const trashed = await read({ trashed: 'true', q: 'aa', status: 'hot' })
    expect(trashed.names).toEqual(
      namesOf(({ isInSecond, name, status }) => isInSecond && name.includes('aa') && status === 'hot'),
    )
  })
})

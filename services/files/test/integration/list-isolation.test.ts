import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROWS_MAX } from '../../src/lists/bounded-scan.ts'
import { newAccount, sharedBundle } from '../bundle.ts'
import { type Client, clientOf, insertFiles, limitedKey } from '../client.ts'

const t = sharedBundle()
const owner = clientOf(t)
/** A live vault and a trashed vault, each with kept folders and more files than one page reads. */
let vaults: { live: string; trashed: string }

beforeAll(async () => {
  vaults = { live: await fill('Live'), trashed: await fill('Trashed') }
  await owner.call('DELETE', `/api/vaults/${vaults.trashed}?force=true`)
})

/** Half of the files are live, half are in the trash. */
async function fill(name: string): Promise<string> {
  const { id } = await owner.createVault(name, 'public')
  await owner.call('PUT', `/api/vaults/${id}/folders/secret/kept`)
  for (const thrownAway of [{}, { deleted_at: 'now()', purge_due_at: `now() + interval '30 days'` }]) {
    await insertFiles(t, { ...owner, vaultId: id }, ROWS_MAX + 500, {
      ...{ folder: `'secret/' || n % 7 || '/'`, name: `'secret-' || n`, status: `'hot'` },
      ...{ tags: `array['tag']`, metadata: `'{"of": "owner"}'`, ...thrownAway },
    })
  }
  return id
}

const keyOf = limitedKey.bind(null, t)

const places = [
  '',
  'prefix=secret/',
  'prefix=secret/3/',
  'delimiter=/',
  'delimiter=/&prefix=secret/',
  'delimiter=/&order=desc',
]
const orders = ['sortBy=name', 'sortBy=createdAt&order=asc', 'sortBy=path&order=desc']
const filters = [
  'q=secret',
  'tag=tag',
  'meta.of=owner',
  'status=hot',
  'mimeType=text/*',
  'createdAfter=2020-01-01T00:00:00Z',
]
const queries = [...places, ...orders, ...filters].flatMap((query) => [query, `${query}&trashed=true`])

async function answers(client: Client, vaultId: string): Promise<string[]> {
  const asked = queries.map((query) => `/api/files?vaultId=${vaultId}&${query}`)
  const found: string[] = []
  for (const path of asked) {
    const { status, bytes, headers } = await client.call('GET', path)
    found.push(`${path.replace(vaultId, '…')} ${status} ${headers.get('x-tideport-cost')} ${bytes.toString()}`)
  }
  return found
}

describe('a vault that the caller may not see is listed like one that does not exist', () => {
  it.each(['live', 'trashed'] as const)('for another account, with and without limits: a %s vault', async (which) => {
    const stranger = clientOf(t)
    const named = keyOf(stranger, { vaultIds: [vaults[which]] })
    const placed = keyOf(stranger, { prefixes: ['secret/'] })
    for (const client of [stranger, named, placed])
      expect(await answers(client, vaults[which])).toEqual(await answers(client, newAccount()))
    expect((await named.call('GET', '/api/files?sortBy=name')).body).toEqual({ files: [], nextCursor: null })
  })

  it('for a key of its account that is limited to another vault', async () => {
    const { id } = await owner.createVault('Other', 'public')
    const key = keyOf(owner, { vaultIds: [id] })
    for (const vaultId of Object.values(vaults))
      expect(await answers(key, vaultId)).toEqual(await answers(key, newAccount()))
    for (const query of queries.filter((one) => !/prefix|delimiter|path/.test(one))) {
      const { body } = await key.call('GET', `/api/files?${query}`)
      expect([body.files, body.nextCursor], query).toEqual([[], null])
    }
  })

  it('is so large that its owner gets short pages with a cursor', async () => {
    const { body } = await owner.call('GET', `/api/files?vaultId=${vaults.live}&q=zz`)
    expect(body.files).toEqual([])
    expect(body.nextCursor).not.toBeNull()
  })
})

describe('a key that is limited to prefixes', () => {
  it('learns nothing about files outside them, not even that they exist', async () => {
    const key = keyOf(owner, { prefixes: ['mine/', 'secret/none/', 'zz'] })
    const { id: empty } = await owner.createVault('Empty', 'public')
    expect(await answers(key, vaults.live)).toEqual(await answers(key, empty))
  })

  it('lists files below them once and in order, across several prefixes', async () => {
    const prefixes = ['secret/5/', 'secret/2/secret-1', 'secret/5/secret-5']
    const key = keyOf(owner, { prefixes })
    const isSeen = ({ path }: { path: string }) => prefixes.some((prefix) => path.startsWith(prefix))
    for (const query of [
      'sortBy=path',
      'sortBy=path&order=desc',
      'prefix=secret/2',
      'sortBy=name',
      'delimiter=/&prefix=secret/2/',
    ]) {
      const seen = await pathsOf(key, query)
      const all = (await pathsOf(owner, query)).filter((path) => isSeen({ path }))
      expect(seen, query).toEqual(all)
      expect(seen.length, query).toBeGreaterThan(0)
    }
    const { body } = await key.call('GET', `/api/files?vaultId=${vaults.live}&delimiter=/&prefix=secret/`)
    expect(body).toMatchObject({ files: [], folders: [{ path: 'secret/2/' }, { path: 'secret/5/' }], nextCursor: null })
  })
})

async function pathsOf(client: Client, query: string): Promise<string[]> {
  const pages = await client.pages(`/api/files?vaultId=${vaults.live}&${query}&limit=100`)
  return pages.flatMap(({ files }) => files.map(({ path }: { path: string }) => path))
}

it('queries select the content of a vault that was looked up for the caller, never of a plain ID', () => {
  const root = join(import.meta.dirname, '../../src')
  const bare = /\bvault_id = \$\{|where\('(file\.)?vaultId'/
  const files = globSync('**/*.ts', { cwd: root }).filter((file) => bare.test(readFileSync(join(root, file), 'utf8')))
  // The exceptions are `isIn` itself, and a query of `eachOf` with the IDs of vaults that were looked up.
  expect(files.toSorted()).toEqual(['lists/file-lists.ts', 'lookups/authorized-vault.ts'])
})

import { placeOfKey } from '@tideport/file-lifecycle/state/key-place'
import { type Random, withSeed } from '@tideport/testing/with-seed'
import { expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, limitedKey } from '../client.ts'

const t = sharedBundle({ logLevel: 'error' })

interface Asked {
  prefix: string
  delimiter: string
  after: string
}

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** The entries of S3, from all keys. */
function expected(keys: readonly string[], { prefix, delimiter, after }: Asked): string[] {
  const entries = keys.flatMap((key) => {
    if (!key.startsWith(prefix)) return []
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const common = at === -1 ? null : key.slice(0, at + delimiter.length)
    if (common === null) return compare(key, after) > 0 ? [key] : []
    return common !== after && compare(key, after) > 0 ? [`${common}*`] : []
  })
  return [...new Set(entries)].toSorted(compare)
}

const pieces = ['a', 'b', '/', '//', '0', '.', '日', 'e\u0301', '\u{1f600}', '\uffff', '%', ' ']
const pick = (random: Random, from: readonly string[]) => from[Math.floor(random() * from.length)] ?? ''
const text = (random: Random, max: number) =>
  Array.from({ length: Math.floor(random() * (max + 1)) }, () => pick(random, pieces)).join('')

/** A vault with files at keys: some keys have several files, some files are uploads or in the trash. */
async function vaultOf(keys: readonly string[], folders: readonly string[]) {
  const client = clientOf(t)
  const vaultId = await client.defaultVault()
  const insert = (key: string, more: Record<string, string> = {}) => {
    const { folder, name, rawKey } = placeOfKey(key)
    const row = { status: 'cold', deleted_at: null, size_bytes: 1, ...more }
    return t.database.sql(
      `insert into file (id, account_id, vault_id, folder, name, raw_key, mime_type, size_bytes, status, deleted_at, upload_key, upload_expires_at, confirmed_at)
       values (gen_random_uuid(), $1, $2, $3, $4, $5, 'a/b', $6, $7, $8, 'k', now(), now())`,
      [client.accountId, vaultId, folder, name, rawKey, row.size_bytes, row.status, row.deleted_at],
    )
  }
  for (const [at, key] of keys.entries()) {
    for (let copies = at % 7 === 0 ? 4 : 1; copies > 0; copies -= 1) await insert(key)
    await insert(`${key}z`, { status: 'uploading' })
    await insert(`${key}y`, { deleted_at: new Date().toISOString() })
  }
  for (const folder of folders)
    await t.database.sql('insert into kept_folder (vault_id, path) values ($1, $2) on conflict do nothing', [
      vaultId,
      folder,
    ])
  return client
}

type Client = Awaited<ReturnType<typeof vaultOf>>

async function listed(client: Pick<Client, 'call'>, asked: Asked, limit: number): Promise<string[]> {
  const all: string[] = []
  for (let after: string | null = asked.after; after !== null; ) {
    const query = new URLSearchParams({ ...asked, after, limit: String(limit) })
    const { status, body } = await client.call('GET', `/internal/objects/default/list?${query}`)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.entries.length).toBeLessThanOrEqual(limit)
    if (body.next !== null) expect(body.entries.length).toBeGreaterThan(0)
    for (const entry of body.entries) all.push(entry.object?.key ?? `${entry.prefix}*`)
    after = body.next
  }
  return all
}

it('lists random keys and folders as S3 does, with every prefix, delimiter, beginning, and page size', () =>
  withSeed(async (random) => {
    const keys = [...new Set(Array.from({ length: 60 }, () => text(random, 5) || 'a'))]
    const folders = [
      ...new Set(['a/', 'b/a/', 'kept/', 'kept/deep/', ...keys.filter((key) => /^(?:[ab0]+\/)+$/.test(key))]),
    ]
    const client = await vaultOf(keys, folders)
    const all = [...new Set([...keys, ...folders])]
    for (let round = 0; round < 50; round += 1) {
      const asked = {
        prefix:
          random() < 0.4
            ? ''
            : pick(random, all)
                .slice(0, 1 + Math.floor(random() * 3))
                .toWellFormed(),
        delimiter: pick(random, ['', '/', '/', '//', 'a', '日', '\u{10ffff}']),
        after: random() < 0.4 ? '' : random() < 0.5 ? pick(random, all) : text(random, 3),
      }
      const limit = pick(random, ['1', '2', '5', '1000'])
      expect(await listed(client, asked, Number(limit)), JSON.stringify({ asked, limit })).toEqual(expected(all, asked))
    }
  }))

it('lists only keys that are, like their paths, within the prefixes of an API key', async () => {
  const client = await vaultOf(['a/1', 'a/2/3', 'a/e\u0301', 'b', 'c/1', 'c/./2', 'c/d'], ['a/kept/', 'b/kept/'])
  const limited = limitedKey(t, client, { prefixes: ['a/', 'c/d', 'c/1', 'a/e', 'c/_/'] })
  const all = { prefix: '', delimiter: '', after: '' }
  const seen = ['a/1', 'a/2/3', 'a/e\u0301', 'a/kept/', 'c/1', 'c/d']
  expect(await listed(limited, all, 2)).toEqual(seen)
  expect(await listed(limited, { ...all, delimiter: '/' }, 1)).toEqual(['a/*', 'c/*'])
  expect(await listed(limited, { ...all, prefix: 'c/' }, 1)).toEqual(['c/1', 'c/d'])
  expect(await listed(limited, { ...all, prefix: 'b' }, 1)).toEqual([])
  expect(await listed(client, { ...all, prefix: 'a\0' }, 1)).toEqual([])
  expect(await listed(client, { ...all, prefix: 'a/', after: 'a/1\0' }, 1)).toEqual(
    expected([...seen], { ...all, prefix: 'a/', after: 'a/1' }),
  )
})

import { expect, test } from 'vitest'
import { createKey, createVault } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import type { CreatedWebhook, ErrorBody, FileRecord } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { requestUpload, uniqueBytes, uploadFile } from './support/uploads.ts'

type Item = { id: string; name?: string; createdAt: string }
type Page = { nextCursor: string | null } & Record<string, Item[]>

const names = ['delta', 'alpha', 'echo', 'bravo', 'charlie']

/** Every list of the API: how to put five items in it, one after the other, and where it is then. */
const lists: Record<string, (client: ApiClient) => Promise<string>> = {
  async vaults(client) {
    for (const name of names) await createVault(client, 'public', name)
    return '/api/vaults'
  },
  async files(client) {
    const { id } = await createVault(client, 'public')
    for (const name of names) await requestUpload(client, { vaultId: id, bytes: uniqueBytes(1), name })
    return '/api/files'
  },
  async apiKeys(client) {
    for (const name of names) await createKey(client, { name })
    return '/api/auth/api-keys'
  },
  async webhooks(client) {
    for (const name of names)
      await client.post('/api/webhooks', { url: `http://127.0.0.1:9/${name}`, events: ['file.hot'] })
    return '/api/webhooks'
  },
  async deliveries(client) {
    const { body } = await client.post<CreatedWebhook>('/api/webhooks', {
      url: 'http://127.0.0.1:9/',
      events: ['file.hot'],
    })
    for (const _ of names) await client.post(`/api/webhooks/${body.id}/test`)
    return `/api/webhooks/${body.id}/deliveries`
  },
}

/** All items of a list, two at a time. */
async function readInPages(client: ApiClient, path: string, plural: string, query = ''): Promise<Item[]> {
  const items: Item[] = []
  for (let cursor = ''; ; ) {
    const { status, body } = await client.get<Page>(
      `${path}?limit=2${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    expect([status, (body[plural] as Item[]).length <= 2]).toEqual([200, true])
    items.push(...(body[plural] as Item[]))
    if (body.nextCursor === null) return items
    cursor = body.nextCursor
  }
}

test.each(Object.keys(lists))('%s are listed newest first, and pages neither repeat nor miss any', async (plural) => {
  const client = freshAccount()
  const path = await (lists[plural] as (typeof lists)[string])(client)
  const { body } = await client.get<Page>(path)
  const all = body[plural] as Item[]
  expect([all.length >= 5, body.nextCursor]).toEqual([true, null])
  expect(all.map(({ createdAt }) => createdAt)).toEqual(
    all
      .map(({ createdAt }) => createdAt)
      .toSorted()
      .toReversed(),
  )
  expect(await readInPages(client, path, plural)).toEqual(all)
})

test.each(['vaults', 'files', 'apiKeys'])('%s can be sorted by name and in either order', async (plural) => {
  const client = freshAccount()
  const path = await (lists[plural] as (typeof lists)[string])(client)
  const sorted = async (query: string) =>
    (await readInPages(client, path, plural, query)).map(({ name }) => name as string)
  const ascending = await sorted('&sortBy=name&order=asc')
  expect(ascending.filter((name) => names.includes(name))).toEqual(names.toSorted())
  expect(await sorted('&sortBy=name&order=desc')).toEqual(ascending.toReversed())
  expect(await sorted('&order=asc')).toEqual((await sorted('')).toReversed())
})

test.each(Object.keys(lists))('the limit of %s is clamped to 100, and nonsense is 400', async (plural) => {
  const client = freshAccount()
  const path = await (lists[plural] as (typeof lists)[string])(client)
  for (const limit of ['100', '101', '1000000']) {
    expect((await client.get(`${path}?limit=${limit}`)).status, limit).toBe(200)
  }
  for (const query of [
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=many',
    'limit=',
    'cursor=',
    'cursor=nonsense',
    'order=up',
  ]) {
    if (plural === 'deliveries' && query === 'order=up') continue
    const { status, body } = await client.get<ErrorBody>(`${path}?${query}`)
    expect([status, body?.code], query).toEqual([400, 'validation_failed'])
  }
})

test('a cursor used with another sort, filter or list is 400', async () => {
  const client = freshAccount()
  const vaults = await (lists.vaults as (typeof lists)[string])(client)
  const files = await (lists.files as (typeof lists)[string])(client)
  const cursorOf = async (path: string) => (await client.get<Page>(`${path}limit=2`)).body.nextCursor
  const [vaultCursor, fileCursor] = [await cursorOf(`${vaults}?`), await cursorOf(`${files}?status=uploading&`)]
  expect((await client.get(`${vaults}?cursor=${vaultCursor}`)).status).toBe(200)
  expect((await client.get(`${files}?status=uploading&cursor=${fileCursor}`)).status).toBe(200)
  const misused = [
    `${vaults}?cursor=${vaultCursor}&sortBy=name`,
    `${vaults}?cursor=${vaultCursor}&order=asc`,
    `${files}?cursor=${fileCursor}`,
    `${files}?status=hot&cursor=${fileCursor}`,
    `${files}?cursor=${vaultCursor}`,
  ]
  for (const path of misused) expect((await client.get(path)).status, path).toBe(400)
})

test('files can be listed by vault and by one or more states', async () => {
  const client = freshAccount()
  const [one, other] = [await createVault(client, 'public'), await createVault(client, 'public')]
  const waiting = await requestUpload(client, { vaultId: one.id, bytes: uniqueBytes() })
  const stored = await uploadFile(client, { vaultId: other.id, bytes: uniqueBytes() })
  const idsOf = async (query: string) => {
    const { body } = await client.get<{ files: FileRecord[] }>(`/api/files?${query}`)
    return body.files.map(({ id }) => id)
  }
  const stored4 = 'status=hot&status=synced&status=cold&status=error'
  expect(await idsOf(`vaultId=${one.id}`)).toEqual([waiting.fileId])
  expect(await idsOf('status=uploading')).toEqual([waiting.fileId])
  expect(await idsOf(stored4)).toEqual([stored.id])
  expect(await idsOf(`status=uploading&${stored4}`)).toEqual([stored.id, waiting.fileId])
  expect(await idsOf(`vaultId=${one.id}&${stored4}`)).toEqual([])
  expect((await client.get('/api/files?status=gone')).status).toBe(400)
})

test('the manifest of an account is streamed to its end, through every process on the way', async () => {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  const files = await Promise.all(
    names.map((name) => uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes(), name })),
  )
  const read = async (query = '') => {
    const { status, text } = await client.get(`/api/account/manifest${query}`)
    expect(status).toBe(200)
    const lines = text.trimEnd().split('\n')
    return lines.map((line) => JSON.parse(line) as { type: string; id?: string; files?: number; cursor?: string })
  }
  const lines = await read()
  expect(lines.filter(({ type }) => type === 'file').map(({ id }) => id).toSorted()).toEqual(files.map(({ id }) => id).toSorted()) // biome-ignore format: one chain
  expect(lines.at(-1)).toMatchObject({ type: 'end', files: names.length })
  const first = lines.findIndex(({ type }) => type === 'file')
  const rest = await read(`?cursor=${lines[first]?.cursor}`)
  expect(rest.map(({ type, id }) => [type, id])).toEqual(lines.slice(first + 1).map(({ type, id }) => [type, id]))
  expect(rest.at(-1)).toEqual(lines.at(-1))
})

import naughtyStrings from 'big-list-of-naughty-strings/blns.json' with { type: 'json' }
import { expect, test } from 'vitest'
import { accountId, anonymous, createVault } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import type { ErrorBody, FileRecord, PublicVault, Vault } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { requestUpload, uniqueBytes } from './support/uploads.ts'

type Page<Plural extends string, Item> = Record<Plural, Item[]> & { nextCursor: string | null }

const strings = [...new Set(naughtyStrings)]

/** Whether this is a valid name by the rules of the API. */
function isName(text: string, maxLength: number, forbidden = /\p{Cc}/u): boolean {
  const length = [...text].length
  return length >= 1 && length <= maxLength && text.isWellFormed() && !forbidden.test(text)
}

/** Calls `act` for every item, ten at a time. */
async function forAll<Item>(items: readonly Item[], act: (item: Item, lane: number) => Promise<void>): Promise<void> {
  const lanes = Array.from({ length: 10 }, (_, lane) => items.filter((_item, index) => index % 10 === lane))
  await Promise.all(
    lanes.map(async (lane, index) => {
      for (const item of lane) await act(item, index)
    }),
  )
}

test.concurrent('search finds a file by every unusual valid name and by no other, and invalid names return 400', async () => {
  const client = freshAccount()
  const { id: vaultId } = await createVault(client, 'public')
  const files = await Promise.all(
    Array.from({ length: 10 }, () => requestUpload(client, { vaultId, bytes: uniqueBytes(1), name: 'plain.txt' })),
  )
  let taken = 0
  await forAll(strings, async (name, lane) => {
    const id = files[lane]?.fileId as string
    const renamed = await client.patch<FileRecord & ErrorBody>(`/api/files/${id}`, { name })
    if (!isName(name, 255, /[\p{Cc}/\\]/u)) {
      expect([renamed.status, renamed.body.code], JSON.stringify(name)).toEqual([400, 'validation_failed'])
      return
    }
    taken += 1
    expect([renamed.status, renamed.body.name], JSON.stringify(name)).toEqual([200, name.normalize('NFC')])
    const found = async (q: string) =>
      (await client.get<Page<'files', FileRecord>>(`/api/files?q=${encodeURIComponent(q)}`)).body.files
    expect((await found(name)).map((file) => file.id)).toContain(id)
    expect(await found(`${[...name].slice(0, 200).join('')}\u{1F5FF}`)).toEqual([])
  })
  // The other names have slashes or control characters, or are too long.
  expect(taken).toBeGreaterThan(200)
})

test.concurrent('a vault with an unusual name gets a unique plain slug that works in its public path', async () => {
  const client = freshAccount()
  const userId = await accountId(client)
  const names = strings.filter((name) => isName(name, 128))
  await forAll(names, async (name) => {
    const { status, body } = await client.post<Vault>('/api/vaults', { name, visibility: 'public' })
    expect([status, body.name, body.slug], JSON.stringify(name)).toEqual([
      201,
      name,
      expect.stringMatching(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
    ])
    expect(body.slug.length).toBeLessThanOrEqual(64)
    const read = await anonymous(client).get<PublicVault>(`/api/public/vaults/${userId}/${body.slug}`)
    expect(read.body.vault).toEqual({ id: body.id, name, description: '', slug: body.slug })
  })
  const { body: clamped } = await client.get<Page<'vaults', Vault>>('/api/vaults?limit=100000')
  expect([clamped.vaults.length, typeof clamped.nextCursor]).toEqual([100, 'string'])
  expect(new Set((await allVaults(client)).map(({ slug }) => slug)).size).toBe(names.length + 1)
})

async function allVaults(client: ApiClient): Promise<Vault[]> {
  const vaults: Vault[] = []
  for (let cursor = ''; ; ) {
    const { body } = await client.get<Page<'vaults', Vault>>(
      `/api/vaults?sortBy=name&order=asc&limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    vaults.push(...body.vaults)
    if (body.nextCursor === null) return vaults
    cursor = body.nextCursor
  }
}

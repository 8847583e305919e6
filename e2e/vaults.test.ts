import { expect, test } from 'vitest'
import { createVault } from './support/account.ts'
import type { ErrorBody, Vault } from './support/resources.ts'
import { freshAccount } from './support/shared-stack.ts'
import { uniqueBytes, uploadFile } from './support/uploads.ts'

test('creating a vault answers its object with id, name, visibility and slug', async () => {
  const client = freshAccount()
  for (const visibility of ['public', 'private']) {
    const { status, body } = await client.post<Vault>('/api/vaults', { name: 'Summer 2025', visibility })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: expect.any(String),
      name: 'Summer 2025',
      visibility,
      isDefault: false,
      fileCount: 0,
    })
    expect((await client.get(`/api/vaults/${body.id}`)).body).toEqual(body)
  }
})

test('visibility is fixed: no update changes it, and one that tries changes nothing', async () => {
  const client = freshAccount()
  for (const visibility of ['public', 'private']) {
    const vault = await createVault(client, visibility)
    for (const other of ['public', 'private', null, 'hidden']) {
      const refused = await client.patch<ErrorBody>(`/api/vaults/${vault.id}`, { name: 'Renamed', visibility: other })
      expect([refused.status, refused.body.code], String(other)).toEqual([400, 'validation_failed'])
    }
    expect((await client.get(`/api/vaults/${vault.id}`)).body).toEqual(vault)
  }
})

test('a vault can be renamed and described, and keeps its slug', async () => {
  const client = freshAccount()
  const vault = await createVault(client, 'public', 'Old name')
  const { status, body } = await client.patch<Vault>(`/api/vaults/${vault.id}`, {
    name: 'New',
    description: 'About it',
  })
  expect([status, body]).toMatchObject([200, { name: 'New', description: 'About it', slug: 'old-name' }])
})

test.each([
  ['Holiday Photos', 'holiday-photos'],
  ['  Überblick — №1  ', 'uberblick-no1'],
  ['Ｆｕｌｌ ｗｉｄｔｈ', 'full-width'],
  ['日本', 'vault'],
  ['x'.repeat(100), 'x'.repeat(64)],
])('the slug of "%s" is %s, and the next one of that name gets a number', async (name, slug) => {
  const client = freshAccount()
  const slugs = [await createVault(client, 'public', name), await createVault(client, 'private', name)].map(
    (one) => one.slug,
  )
  expect(slugs).toEqual([slug, `${slug.slice(0, 62)}-2`])
})

test('parallel vaults of one name get different slugs', async () => {
  const client = freshAccount()
  const vaults = await Promise.all(Array.from({ length: 10 }, () => createVault(client, 'public', 'Same')))
  expect(new Set(vaults.map(({ slug }) => slug)).size).toBe(10)
})

test('a vault with a wrong name or visibility is refused with 400', async () => {
  const client = freshAccount()
  const wrongNames = [undefined, null, '', 7, 'x'.repeat(129), 'a\nb', 'a\u0000b', ['a']]
  const wrongVisibilities = [undefined, null, 'Public', 'secret', true, '']
  const wrong = [
    ...wrongNames.map((name) => ({ name, visibility: 'public' })),
    ...wrongVisibilities.map((visibility) => ({ name: 'a', visibility })),
  ]
  for (const fields of wrong) {
    const { status, body } = await client.post<ErrorBody>('/api/vaults', fields)
    expect([status, body.code], JSON.stringify(fields)).toEqual([400, 'validation_failed'])
  }
  expect((await client.get<{ vaults: Vault[] }>('/api/vaults')).body.vaults.map(({ isDefault }) => isDefault)).toEqual([
    true,
  ])
})

test('a vault and the account count their files and bytes', async () => {
  const client = freshAccount()
  const { id } = await createVault(client, 'public')
  await uploadFile(client, { vaultId: id, bytes: uniqueBytes(700) })
  await uploadFile(client, { vaultId: id, bytes: uniqueBytes(300) })
  expect((await client.get(`/api/vaults/${id}`)).body).toMatchObject({ fileCount: 2, storageBytes: 1000 })
  const { body } = await client.get<{ usage: object }>('/api/account')
  expect(body.usage).toMatchObject({ storageBytes: 1000, fileCount: 2, vaultCount: 2 })
})

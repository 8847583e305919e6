import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf, encryption } from '../client.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup()
})
afterAll(() => t[Symbol.asyncDispose]())

type Client = ReturnType<typeof clientOf>

const patch = (client: Client, id: string, json: Record<string, unknown>) =>
  client.call('PATCH', `/api/files/${id}`, { json })
const usage = async (client: Client, vaultId: string) => {
  const { fileCount, storageBytes } = (await client.call('GET', `/api/vaults/${vaultId}`)).body
  return { fileCount, storageBytes }
}
const versionOf = async (id: string) => (await t.database.sql('select version from file where id = $1', [id]))[0]

describe('PATCH /api/files/:fileId', () => {
  it('renames without touching what workers decide on, and refuses names that no upload could have', async () => {
    const client = clientOf(t)
    const file = await client.hotFile('hello')
    const before = await versionOf(file.id)
    const renamed = await patch(client, file.id, { name: 'Ünïcode 📦.txt' })
    expect(renamed).toMatchObject({ status: 200, body: { id: file.id, name: 'Ünïcode 📦.txt', vaultId: file.vaultId } })
    expect(await versionOf(file.id)).toEqual(before)
    for (const name of ['', 'a/b', 'a\\b', 'a\u0000b', 'x'.repeat(256)]) {
      expect((await patch(client, file.id, { name })).status).toBe(400)
    }
    expect((await patch(client, file.id, {})).body.name).toBe('Ünïcode 📦.txt')
  })

  it('moves a file and its counters to another vault of the same visibility', async () => {
    const client = clientOf(t)
    const file = await client.hotFile('hello')
    const { id: target } = await client.createVault('Holidays', 'public')
    const moved = await patch(client, file.id, { vaultId: target, name: 'moved.png' })
    expect(moved.body).toMatchObject({ vaultId: target, name: 'moved.png' })
    expect(await usage(client, file.vaultId)).toEqual({ fileCount: 0, storageBytes: 0 })
    expect(await usage(client, target)).toEqual({ fileCount: 1, storageBytes: 5 })
    expect((await client.call('GET', '/api/account')).body.usage).toMatchObject({ fileCount: 1, storageBytes: 5 })
    expect((await client.call('GET', `/api/files?vaultId=${target}`)).body.files).toHaveLength(1)
  })

  it('never moves a file between public and private, nor to a vault that is nobody’s or in the trash', async () => {
    const client = clientOf(t)
    const file = await client.hotFile('hello')
    const { id: secrets } = await client.createVault('Secrets', 'private')
    const { id: trashed } = await client.createVault('Old', 'public')
    await client.call('DELETE', `/api/vaults/${trashed}`)
    const foreign = await clientOf(t).defaultVault()
    expect(await patch(client, file.id, { vaultId: secrets })).toMatchObject({
      status: 409,
      body: { code: 'visibility_mismatch' },
    })
    for (const vaultId of [foreign, trashed, 'nonsense']) {
      expect((await patch(client, file.id, { vaultId })).status).toBe(404)
    }
    expect((await client.call('GET', `/api/files/${file.id}`)).body.vaultId).toBe(file.vaultId)
  })

  it('replaces the wrapped key of a private file alone', async () => {
    const client = clientOf(t)
    const { id: vaultId } = await client.createVault('Secrets', 'private')
    const secret = await client.hotFile('enc', { vaultId, ...encryption })
    const open = await client.hotFile('hello')
    const rewrapped = await patch(client, secret.id, { wrappedKey: 'bmV3IGtleQ==' })
    expect(rewrapped.body).toMatchObject({ ...encryption, wrappedKey: 'bmV3IGtleQ==' })
    expect(await patch(client, open.id, { wrappedKey: 'bmV3IGtleQ==' })).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: 'wrappedKey' }] } },
    })
    expect((await patch(client, secret.id, { wrappedKey: null })).status).toBe(400)
  })

  it('keeps the counters right when files are moved to and fro while the vaults are thrown away', async () => {
    const client = clientOf(t)
    const { id: there } = await client.createVault('There', 'public')
    const { id: back } = await client.createVault('Back', 'public')
    const files = await Promise.all(Array.from({ length: 6 }, () => client.hotFile('hello', { vaultId: back })))
    for (let round = 0; round < 6; round += 1) {
      const moves = files.map((file, index) => patch(client, file.id, { vaultId: (round + index) % 2 ? there : back }))
      const toggle = round % 2 ? client.call('POST', `/api/vaults/${there}/restore`) : client.call('DELETE', `/api/vaults/${there}?force=true`) // biome-ignore format: one choice
      for (const { status } of await Promise.all([...moves, toggle])) expect([200, 404, 409]).toContain(status)
    }
    const counted = await t.database.sql(
      `select id from vault where account_id = $1 and (file_count, storage_bytes) <> (
         select count(*), coalesce(sum(size_bytes), 0) from file where vault_id = vault.id)`,
      [client.accountId],
    )
    expect(counted).toEqual([])
  })

  it('is closed to strangers and to keys that only read', async () => {
    const client = clientOf(t)
    const file = await client.hotFile('hello')
    expect((await patch(clientOf(t), file.id, { name: 'mine' })).status).toBe(404)
    const reader = clientOf(t, client.accountId, { scopes: ['files:read'] })
    expect((await patch(reader, file.id, { name: 'mine' })).status).toBe(403)
  })
})

import { type FileRecord, type JournalEntry, PathTakenError, upload, uploadMany } from '@tideport/sdk'
import { expect, test } from 'vitest'
import { createKey, createVault, withToken } from './support/account.ts'
import type { CreatedApiKey, ErrorBody } from './support/resources.ts'
import { sdkClientOf } from './support/sdk/sdk-client-of.ts'
import { freshAccount } from './support/shared-stack.ts'
import { requestUpload, uniqueBytes, uploadFile } from './support/uploads.ts'

test.concurrent('a key for one vault, one verb and so many bytes does that and nothing else', async () => {
  const client = freshAccount()
  const [mine, other] = [await createVault(client, 'public', 'Mine'), await createVault(client, 'public', 'Other')]
  const limits = { vaultIds: [mine.id], verbs: ['upload'], bytesPerDay: 3000 }
  const { key } = await createKey(client, { limits })
  const machine = withToken(client, key)
  const today = () => new Date().toISOString().slice(0, 10)
  const day = today()
  const fields = { name: 'more', mimeType: 'text/plain' }
  const file = await uploadFile(machine, { vaultId: mine.id, bytes: uniqueBytes(2000) })
  await expect(requestUpload(machine, { vaultId: other.id, bytes: uniqueBytes(1) })).rejects.toThrow('404')
  const more = await machine.post<ErrorBody>('/api/files/upload', { ...fields, vaultId: mine.id, sizeBytes: 1001 })
  // At midnight the bytes of a new day begin.
  if (today() === day) expect(more.status).toBe(429)
  for (const path of [`/api/files/${file.id}`, '/api/webhooks', '/api/account']) {
    const { status, body } = await machine.get<ErrorBody>(path)
    expect([status, body.code], path).toEqual([403, 'outside_key_limits'])
  }
  const wider = await machine.post<ErrorBody>('/api/auth/api-keys', { name: 'k', limits: { verbs: ['delete'] } })
  expect([wider.status, wider.body.details]).toEqual([403, { limit: 'verbs' }])
})

test.concurrent('a key that may only upload uploads by the SDK in every way, and reads nothing back', async () => {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  const taken = await uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes(), name: 'taken', more: { tags: ['secret-tag'] } }) // biome-ignore format: one call
  for (const rights of [{ scopes: ['files:write'] }, { limits: { verbs: ['upload'] } }]) {
    const { key } = await createKey(client, rights)
    const machine = withToken(client, key)
    const sdk = sdkClientOf(machine)
    const vaultId = vault.id
    expect(await upload(sdk, uniqueBytes(10), { vaultId, name: 'one call' })).toMatchObject({ name: 'one call' })
    const large = new Uint8Array(6 * 1024 ** 2)
    const inParts = { vaultId, name: 'parts', partSizeBytes: 5 * 1024 ** 2 }
    const tokens: string[] = []
    const onToken = (token: string) => void tokens.push(token)
    expect(await upload(sdk, large, { ...inParts, onToken })).toMatchObject({ name: 'parts', status: 'hot' })
    const { id, name } = await upload(sdk, large, { ...inParts, resume: tokens[0] })
    expect([typeof id, name]).toEqual(['string', undefined])

    const entries = new Map<string, JournalEntry>()
    const journal = { read: (of: string) => entries.get(of), write: (of: string, now: JournalEntry) => void entries.set(of, now) } // biome-ignore format: one line
    for (const bytes of [uniqueBytes(10), uniqueBytes(10)]) {
      for await (const {
        error,
      } of uploadMany(sdk, [{ key: 'a', source: new Uint8Array(bytes), name: 'a' }], { vaultId, journal })) // biome-ignore format: one line
        expect(error).toBeUndefined()
    }
    const { body, status } = await machine.post<FileRecord>(`/api/files/${taken.id}/confirm`)
    expect([status, body.id, Object.keys(body)]).toEqual([200, taken.id, ['id', 'status']])
    const failing = upload(sdk, uniqueBytes(10), { vaultId, name: 'taken', fields: { onConflict: 'fail' } })
    const error = await failing.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PathTakenError)
    expect((error as PathTakenError).details).toBeNull()
  }
})

test.concurrent('a key for what begins with a prefix sees and makes that alone, and no wider key', async () => {
  const client = freshAccount()
  const vault = await createVault(client, 'public')
  const other = await uploadFile(client, { vaultId: vault.id, bytes: uniqueBytes(), name: 'other' })
  const { key } = await createKey(client, { limits: { prefixes: ['mine-'] } })
  const machine = withToken(client, key)
  const file = await uploadFile(machine, { vaultId: vault.id, bytes: uniqueBytes(), name: 'mine-1' })
  const { body } = await machine.get<{ files: { id: string }[] }>('/api/files')
  expect(body.files.map(({ id }) => id)).toEqual([file.id])
  expect((await machine.get(`/api/files/${other.id}`)).status).toBe(404)
  await expect(requestUpload(machine, { vaultId: vault.id, bytes: uniqueBytes(), name: 'else' })).rejects.toThrow('403')
  const wider = await machine.post<ErrorBody>('/api/auth/api-keys', { name: 'k', limits: { prefixes: ['m'] } })
  expect([wider.status, wider.body.details]).toEqual([403, { limit: 'prefixes' }])
})

test.concurrent('a key is refused from an address that it is not for', async () => {
  const client = freshAccount()
  const { key } = await createKey(client, { limits: { addresses: ['192.0.2.0/24'] } })
  const { status, body } = await withToken(client, key).get<ErrorBody>('/api/vaults')
  expect([status, body.code, body.details]).toEqual([403, 'outside_key_limits', { limit: 'addresses' }])
})

test.concurrent('a rotated key works until its overlap ends, the new one from then on', async () => {
  const client = freshAccount()
  const old = await createKey(client)
  const rotate = (overlapSeconds: number) =>
    client.post<CreatedApiKey>(`/api/auth/api-keys/${old.id}/rotate`, { overlapSeconds })
  const { status, body: made } = await rotate(3600)
  expect(status).toBe(201)
  const statusWith = async ({ key }: CreatedApiKey) => (await withToken(client, key).get('/api/vaults')).status
  expect([await statusWith(old), await statusWith(made)]).toEqual([200, 200])
  const { body: last } = await rotate(0)
  expect([await statusWith(old), await statusWith(made), await statusWith(last)]).toEqual([401, 200, 200])
})

import { type FileRecord, type JournalEntry, PathTakenError, upload, uploadMany } from '@tideport/sdk'
import { expect, test } from 'vitest'
import { createKey, createVault, withToken } from './support/account.ts'
import type { ErrorBody } from './support/resources.ts'
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

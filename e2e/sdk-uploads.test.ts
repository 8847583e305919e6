import { createHash, randomBytes } from 'node:crypto'
import { utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type FileRecord,
  type JournalEntry,
  listFiles,
  PathTakenError,
  type Progress,
  readFile,
  SourceChangedError,
  StorageError,
  upload,
  uploadMany,
  ValidationFailedError,
} from '@tideport/sdk'
import { openFile, spoolToDisk } from '@tideport/sdk/node'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { createKey, createVault, withToken } from './support/account.ts'
import { sdkAccount } from './support/sdk/sdk-account.ts'
import { sdkClientOf } from './support/sdk/sdk-client-of.ts'
import { watchedPuts } from './support/sdk/watched-puts.ts'
import { freshAccount } from './support/shared-stack.ts'
import { uniqueBytes, uploadFile } from './support/uploads.ts'

const MIB = 1024 ** 2
const partSizeBytes = 5 * MIB
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
type Account = Awaited<ReturnType<typeof sdkAccount>>

/** Reads the bytes of a public file without credentials. */
async function stored({ client }: Account, fileId: string): Promise<string> {
  const response = await fetch(`${client.baseUrl}/api/public/files/${fileId}`)
  return sha256(new Uint8Array(await response.arrayBuffer()))
}

test.concurrent('a file is uploaded in one call, in one PUT, or in parts by its size, and arrives unchanged', async () => {
  const puts = watchedPuts()
  const account = await sdkAccount('public', puts.options)
  for (const [size, expected] of [
    [0, 0],
    [1000, 0],
    [5 * MIB, 1],
    [17 * MIB, 3],
  ] as const) {
    const before = puts.urls.length
    const bytes = randomBytes(size)
    const file = await upload(account.client, new Blob([bytes], { type: 'image/png' }), {
      vaultId: account.vaultId,
      name: 'Grüße .png',
    })
    expect(file).toMatchObject({ status: 'hot', name: 'Grüße .png', mimeType: 'image/png', sizeBytes: size })
    expect(puts.urls.length - before).toBe(expected)
    expect(await stored(account, file.id)).toBe(sha256(bytes))
  }
})

test.concurrent('a name contains no folder, whatever the size', async () => {
  const { client, vaultId } = await sdkAccount()
  for (const size of [10, 5 * MIB]) {
    const named = upload(client, randomBytes(size), { vaultId, name: 'a/b.txt' })
    await expect(named).rejects.toThrow(ValidationFailedError)
  }
})

test.concurrent('a small file with a path, tags, and metadata is also uploaded in one call', async () => {
  const puts = watchedPuts()
  const { client, vaultId } = await sdkAccount('public', puts.options)
  const fields = { path: 'a/b c.txt', tags: ['x', 'y'], metadata: { trip: 'Lübeck & more' } }
  const file = await upload(client, new Blob(['small']), { vaultId, fields })
  expect(file).toMatchObject({ ...fields, name: 'b c.txt', status: 'hot' })
  expect(puts.urls).toEqual([])
})

test.concurrent('parts are uploaded concurrently within the limit, and their progress adds up', async () => {
  const puts = watchedPuts()
  const { client, vaultId } = await sdkAccount('public', puts.options)
  const told: Progress[] = []
  const bytes = randomBytes(31 * MIB)
  await upload(client, bytes, {
    vaultId,
    name: 'a',
    partSizeBytes,
    parallel: 3,
    onProgress: (progress) => told.push(progress),
  })
  expect(puts.urls).toHaveLength(7)
  expect(puts.mostUnderWay()).toBe(3)
  expect(told.at(-1)).toMatchObject({
    sentBytes: bytes.length,
    totalBytes: bytes.length,
    secondsRemaining: expect.anything(),
  })
  const sent = told.map(({ sentBytes }) => sentBytes)
  expect(sent).toEqual(sent.toSorted((a, b) => a - b))
})

test.concurrent('a rejected URL is signed again, a lost part is sent again, and a stored part is accepted', async () => {
  const broken: ReturnType<Parameters<typeof watchedPuts>[0] & {}>[] = [
    { status: 403, text: '' },
    'lost before',
    'lost after',
    { status: 503, text: '' },
  ]
  const puts = watchedPuts((_, number) => broken[number - 1])
  const account = await sdkAccount('public', puts.options)
  const bytes = randomBytes(11 * MIB)
  const file = await upload(account.client, bytes, { vaultId: account.vaultId, name: 'a', partSizeBytes })
  expect(await stored(account, file.id)).toBe(sha256(bytes))
  expect(puts.urls).toHaveLength(3 + broken.length)
  // One PUT that must not overwrite: its retry finds the object of the first.
  const once = watchedPuts((_, number) => (number === 1 ? 'lost after' : undefined))
  const again = await upload(account.again(once.options), bytes, { vaultId: account.vaultId, name: 'b' })
  expect(once.urls.length).toBeGreaterThan(1)
  expect(await stored(account, again.id)).toBe(sha256(bytes))
})

test.concurrent('a permanent rejection by the storage fails the upload with its status, without the URL, and leaves nothing behind', async () => {
  const puts = watchedPuts(() => ({ status: 400, text: '' }))
  const { client, vaultId } = await sdkAccount('public', puts.options)
  const error = await upload(client, randomBytes(11 * MIB), { vaultId, name: 'a', partSizeBytes }).catch(
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(StorageError)
  expect(error.status).toBe(400)
  expect(`${error.stack}`).not.toContain('X-Amz')
  expect((await listFiles(client, { vaultId }).page()).files).toEqual([])
})

test.concurrent('an interrupted upload resumes from its token and sends only missing parts', async () => {
  const account = await sdkAccount()
  const bytes = randomBytes(26 * MIB)
  const crash = new AbortController()
  const dying = watchedPuts((_, number) => {
    if (number === 4) crash.abort(new Error('killed'))
    return undefined
  })
  const tokens: string[] = []
  const options = { vaultId: account.vaultId, name: 'a', partSizeBytes, parallel: 1 }
  const cut = upload(account.again(dying.options), bytes, {
    ...options,
    signal: crash.signal,
    onToken: (given) => void tokens.push(given),
  })
  await expect(cut).rejects.toThrow('killed')
  const other = upload(account.client, randomBytes(26 * MIB), { ...options, resume: tokens.at(-1) })
  await expect(other).rejects.toThrow(SourceChangedError)
  const puts = watchedPuts()
  const told: Progress[] = []
  const file = await upload(account.again(puts.options), bytes, {
    ...options,
    resume: tokens.at(-1),
    onProgress: (progress) => told.push(progress),
  })
  expect(puts.urls.length).toBeLessThanOrEqual(3)
  expect(told[0]?.sentBytes).toBeGreaterThanOrEqual(3 * partSizeBytes)
  expect(await stored(account, file.id)).toBe(sha256(bytes))
  // The response to the confirm may have been lost.
  await expect(upload(account.client, bytes, { ...options, resume: tokens.at(-1) })).resolves.toMatchObject({
    id: file.id,
  })
})

test.concurrent('a stream of known or unknown size is uploaded, and one with a wrong size is rejected', async () => {
  const account = await sdkAccount()
  const { client, vaultId } = account
  const bytes = randomBytes(18 * MIB)
  const stream = (upTo = bytes.length) => new Blob([bytes.subarray(0, upTo)]).stream()
  const small = await upload(client, stream(3 * MIB), { vaultId, name: 'small' })
  expect(await stored(account, small.id)).toBe(sha256(bytes.subarray(0, 3 * MIB)))
  const sized = await upload(client, stream(), { vaultId, name: 'sized', sizeBytes: bytes.length })
  expect(await stored(account, sized.id)).toBe(sha256(bytes))
  const spooled = await upload(client, stream(), { vaultId, name: 'spooled', spool: spoolToDisk })
  expect(await stored(account, spooled.id)).toBe(sha256(bytes))
  await expect(upload(client, stream(), { vaultId, name: 'unknown' })).rejects.toThrow(TypeError)
  for (const sizeBytes of [bytes.length - 1, bytes.length + 1, 100]) {
    await expect(upload(client, stream(), { vaultId, name: 'wrong', sizeBytes })).rejects.toThrow(SourceChangedError)
  }
  const { files } = await listFiles(client, { vaultId }).page()
  expect(files.map(({ name }) => name).toSorted()).toEqual(['sized', 'small', 'spooled'])
})

test.concurrent('a local file is uploaded by its path, and does not resume after a change', async () => {
  await using directory = await createTemporaryDirectory('sdk')
  const account = await sdkAccount()
  const path = join(directory.path, 'Häfen.bin')
  const bytes = randomBytes(12 * MIB)
  await writeFile(path, bytes)
  const source = await openFile(path)
  const tokens: string[] = []
  const onToken = (given: string) => void tokens.push(given)
  const options = { vaultId: account.vaultId, partSizeBytes, onToken }
  const file = await upload(account.client, source, options)
  expect(file.name).toBe('Häfen.bin')
  expect(await stored(account, file.id)).toBe(sha256(bytes))
  await utimes(path, 1, 1)
  await expect(upload(account.client, source, options)).rejects.toThrow(SourceChangedError)
  await source.close()
  const changed = await openFile(path)
  await expect(upload(account.client, changed, { ...options, resume: tokens.at(-1) })).rejects.toThrow(
    SourceChangedError,
  )
  await changed.close()
})

test.concurrent('a request that is repeated with the caller’s key creates one file', async () => {
  const { client, vaultId } = await sdkAccount()
  const options = { vaultId, name: 'a', idempotencyKey: crypto.randomUUID() }
  const bytes = randomBytes(100)
  const [first, second] = [await upload(client, bytes, options), await upload(client, bytes, options)]
  expect(second.id).toBe(first.id)
  await expect(readFile(client, { fileId: first.id })).resolves.toMatchObject({
    status: expect.stringMatching(/hot|synced|cold/),
  })
})

test.concurrent('a key that may only upload uploads with the SDK in every way, and reads nothing', async () => {
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

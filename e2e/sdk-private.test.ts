import { randomBytes } from 'node:crypto'
import { ChecksumError, type Client, download, type JournalEntry, listFiles, NetworkError, SourceChangedError, updateFile, type WrittenFile } from '@tideport/sdk' // biome-ignore format: one line
import {
  ChangedBytesError,
  ChangedRecordError,
  createVaultKey,
  DecryptionError,
  downloadPrivate,
  ReplacedFileError,
  rewrapFile,
  UnknownFormatError,
  uploadManyPrivate,
  uploadPrivate,
  WrongKeyError,
} from '@tideport/sdk/crypto'
import { expect, test } from 'vitest'
import { sdkAccount } from './support/sdk/sdk-account.ts'
import { watchedPuts } from './support/sdk/watched-puts.ts'

const MIB = 1024 ** 2
const read = async ({ body }: { body: ReadableStream }) => Buffer.from(await new Response(body).arrayBuffer())

test.concurrent('a private file comes back unchanged, completely and from any position, and the service has none of its plaintext', async () => {
  const { client, vaultId } = await sdkAccount('private')
  const vaultKey = createVaultKey()
  const room = MIB - 32
  for (const size of [0, 1, room, room + 1, 6 * MIB]) {
    const bytes = randomBytes(size)
    const file = await uploadPrivate(client, bytes, { vaultId, vaultKey, name: `${size}` })
    expect(file.plaintextSizeBytes).toBe(size)
    expect(bytes.equals(await read(await downloadPrivate(client, file, { vaultKey })))).toBe(true)
    for (const [start, end] of [
      [0, 1],
      [room - 1, room + 1],
      [size - 1, size],
      [5 * MIB, 9 * MIB],
    ] as const) {
      const part = await downloadPrivate(client, file, { vaultKey, start: Math.max(0, start), end })
      const expected = bytes.subarray(Math.max(0, start), end)
      expect(expected.equals(await read(part)), `${size}: ${start} to ${end}`).toBe(true)
      expect(part.sizeBytes).toBe(expected.length)
    }
    const stored = await read(await download(client, file))
    expect(stored).toHaveLength(file.sizeBytes ?? 0)
    if (size > 100) expect(stored.includes(bytes.subarray(0, 64))).toBe(false)
  }
})

test.concurrent('an interrupted private upload resumes with the same key, and encrypts parts again', async () => {
  const { again, client, vaultId } = await sdkAccount('private')
  const vaultKey = createVaultKey()
  const bytes = randomBytes(22 * MIB)
  const crash = new AbortController()
  const dying = watchedPuts((_, number) => {
    if (number === 3) crash.abort(new Error('killed'))
    return undefined
  })
  const kept: string[] = []
  const options = { vaultId, vaultKey, name: 'a', parallel: 1, partSizeBytes: 5 * MIB }
  const onToken = (token: string) => void kept.push(token)
  await expect(
    uploadPrivate(again(dying.options), bytes, { ...options, signal: crash.signal, onToken }),
  ).rejects.toThrow('killed')
  const resume = kept[0] as string
  await expect(uploadPrivate(client, randomBytes(22 * MIB), { ...options, resume })).rejects.toThrow(SourceChangedError)
  await expect(uploadPrivate(client, bytes, { ...options, vaultKey: createVaultKey(), resume })).rejects.toThrow(
    DecryptionError,
  )
  const puts = watchedPuts((_, number) => (number === 1 ? 'lost before' : undefined))
  const file = await uploadPrivate(again(puts.options), bytes, { ...options, resume })
  expect(puts.urls.length).toBeLessThanOrEqual(4)
  expect(bytes.equals(await read(await downloadPrivate(client, file, { vaultKey })))).toBe(true)
})

test.concurrent('a file key is wrapped with another vault key without its bytes, and only that key opens the file', async () => {
  const { client, vaultId } = await sdkAccount('private')
  const [from, to] = [createVaultKey(), createVaultKey()]
  const file = await uploadPrivate(client, new TextEncoder().encode('Dear diary'), {
    vaultId,
    vaultKey: from,
    name: 'a',
  })
  await rewrapFile(client, file, from, to)
  expect(String(await read(await downloadPrivate(client, file, { vaultKey: to })))).toBe('Dear diary')
  await expect(downloadPrivate(client, file, { vaultKey: from })).rejects.toThrow(DecryptionError)
  const other = await uploadPrivate(client, new TextEncoder().encode('Dear diary'), {
    vaultId,
    vaultKey: to,
    name: 'b',
  })
  await updateFile(client, { fileId: file.id, wrappedKey: other.wrappedKey as string })
  await expect(downloadPrivate(client, file, { vaultKey: to })).rejects.toThrow(DecryptionError)
})

test.concurrent('bytes that the service modified, truncated, or reordered are never returned', async () => {
  const { client, lying, vaultId } = await lyingAccount()
  const vaultKey = createVaultKey()
  const upload = (bytes: Buffer, key = vaultKey) => uploadPrivate(client, bytes, { vaultId, vaultKey: key, name: 'a' })
  const bytes = randomBytes(3 * MIB)
  const [file, older, foreign] = [
    await upload(bytes),
    await upload(randomBytes(3 * MIB)),
    await upload(randomBytes(3 * MIB), createVaultKey()),
  ] as const
  const stored = await read(await download(client, file))
  const olderBytes = await read(await download(client, older))
  const flipped = Buffer.from(stored)
  flipped[2 * MIB + 50] = (flipped[2 * MIB + 50] as number) ^ 1
  const swapped = Buffer.concat([stored.subarray(MIB, 2 * MIB), stored.subarray(0, MIB), stored.subarray(2 * MIB)])
  const mixed = Buffer.concat([stored.subarray(0, MIB), olderBytes.subarray(MIB)])
  const { encryptionIv, plaintextChecksumSha256, wrappedKey } = older
  const iv = file.encryptionIv as string
  type Lie = [what: string, Buffer, record: object, new (...given: never[]) => Error]
  const lies: Lie[] = [
    ['a byte', flipped, {}, ChangedBytesError],
    ['segments in another order', swapped, {}, ChangedBytesError],
    ['segments of another file', mixed, {}, ChangedBytesError],
    ['all bytes of another file', olderBytes, {}, ChangedBytesError],
    ['fewer bytes', stored.subarray(0, 2 * MIB), {}, NetworkError],
    ['more bytes', Buffer.concat([stored, stored]), {}, ChecksumError],
    [
      'sizes',
      stored.subarray(0, 2 * MIB),
      { sizeBytes: 2 * MIB, plaintextSizeBytes: 2 * (MIB - 32) },
      ChangedRecordError,
    ],
    ['a size', stored.subarray(0, 2 * MIB), { sizeBytes: 2 * MIB }, ChangedRecordError],
    [
      'the header',
      stored,
      { encryptionIv: `${iv.slice(0, 50)}${iv[50] === 'A' ? 'B' : 'A'}${iv.slice(51)}` },
      ChangedRecordError,
    ],
    ['the header of another file', stored, { encryptionIv }, ChangedRecordError],
    ['the envelope of another file', stored, { wrappedKey }, ChangedRecordError],
    ['the envelope of another vault', stored, { wrappedKey: foreign.wrappedKey }, WrongKeyError],
    ['all fields of another file', stored, { encryptionIv, plaintextChecksumSha256, wrappedKey }, ChangedBytesError],
    ['another format', stored, { wrappedKey: 'tideport.2.a.b' }, UnknownFormatError],
  ]
  for (const [what, answered, changed, kind] of lies) {
    const reading = async () => read(await downloadPrivate(lying(file, answered, changed), file.id, { vaultKey }))
    const error = await reading().catch((thrown) => thrown)
    expect(error, what).toBeInstanceOf(kind)
    // The middle of a file is checked too.
    if (kind === NetworkError || kind === ChecksumError) continue
    const part = async () =>
      read(await downloadPrivate(lying(file, answered, changed), file.id, { vaultKey, start: MIB, end: 3 * MIB - 96 }))
    await expect(part(), what).rejects.toBeInstanceOf(kind)
  }
})

test.concurrent('only a stored record detects that an older file replaced a newer one', async () => {
  const { client, lying, vaultId } = await lyingAccount()
  const vaultKey = createVaultKey()
  const [older, newer] = [
    await uploadPrivate(client, new Blob(['before']), { vaultId, vaultKey, name: 'a' }),
    await uploadPrivate(client, new Blob(['behind']), { vaultId, vaultKey, name: 'a' }),
  ]
  const replayed = lying(newer, await read(await download(client, older)), { ...older, id: newer.id })
  await expect(downloadPrivate(replayed, newer, { vaultKey })).rejects.toThrow(ReplacedFileError)
  expect(String(await read(await downloadPrivate(replayed, newer.id, { vaultKey })))).toBe('before')
  // The key may be wrapped again in the meantime.
  const other = createVaultKey()
  await rewrapFile(client, newer, vaultKey, other)
  expect(String(await read(await downloadPrivate(client, newer, { vaultKey: other })))).toBe('behind')
})

/** An account, and clients that get false bytes and record fields for one file. */
async function lyingAccount() {
  const { again, client, vaultId } = await sdkAccount('private')
  const lying = (file: WrittenFile, bytes: Buffer, changed: object) =>
    again({
      attempts: 2,
      fetch: async (url, init) => {
        if (url.endsWith(`/api/files/${file.id}`))
          return new Response(JSON.stringify({ ...file, checksumSha256: null, ...changed }))
        if (url.includes('/api/files/')) return await fetch(url, init)
        const [, from, to] = /bytes=(\d+)-(\d+)/.exec(new Headers(init.headers).get('range') ?? '') ?? []
        const part = from === undefined ? bytes : bytes.subarray(Number(from), Number(to) + 1)
        return new Response(new Uint8Array(part), { status: from === undefined ? 200 : 206 })
      },
    })
  return { client, vaultId, lying }
}

test.concurrent('a small private file is uploaded in one call, and exactly once although the response is lost', async () => {
  const { again, client, vaultId } = await sdkAccount('private')
  const vaultKey = createVaultKey()
  const entries = new Map<string, JournalEntry>()
  const journal = {
    read: (key: string) => entries.get(key),
    write: (key: string, now: JournalEntry) => void entries.set(key, { ...entries.get(key), ...now }),
  }
  const bytes = randomBytes(4096)
  const source = new Blob([bytes])
  const methods: string[] = []
  const losing = again({
    attempts: 1,
    fetch: async (url, init) => {
      methods.push(init?.method ?? 'GET')
      await (await fetch(url, init)).arrayBuffer()
      throw new TypeError('The response was lost')
    },
  })
  const run = async (by: Client) => {
    const items = [{ key: 'a', source, name: 'a' }]
    for await (const { error, file } of uploadManyPrivate(by, items, { vaultId, vaultKey, journal })) {
      if (error) throw error
      return file
    }
    return undefined
  }
  await expect(run(losing)).rejects.toThrow(NetworkError)
  expect(methods).toEqual(['PUT'])
  const file = await run(client)
  const { files } = await listFiles(client, { vaultId }).page()
  expect(files.map(({ id }) => id)).toEqual([file?.id])
  expect(bytes.equals(await read(await downloadPrivate(client, files[0] as { id: string }, { vaultKey })))).toBe(true)
})

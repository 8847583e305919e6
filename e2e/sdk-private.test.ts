import { randomBytes } from 'node:crypto'
import { download, SourceChangedError, updateFile } from '@tideport/sdk'
import { createVaultKey, DecryptionError, downloadPrivate, rewrapFile, uploadPrivate } from '@tideport/sdk/crypto'
import { expect, test } from 'vitest'
import { sdkAccount } from './support/sdk/sdk-account.ts'
import { watchedPuts } from './support/sdk/watched-puts.ts'

const MIB = 1024 ** 2
const read = async ({ body }: { body: ReadableStream }) => Buffer.from(await new Response(body).arrayBuffer())

test.concurrent('a private file comes back as it was, whole and from any place, and the service has none of it', async () => {
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
    expect(stored).toHaveLength(file.sizeBytes)
    if (size > 100) expect(stored.includes(bytes.subarray(0, 64))).toBe(false)
  }
})

test.concurrent('a private upload goes on where it was cut off, under the same key and with parts encrypted anew', async () => {
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

test.concurrent('a file is wrapped under another vault key without its bytes, and opens by that one alone', async () => {
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

test.concurrent('bytes that the service changed, cut or reordered are given to nobody', async () => {
  const { again, client, vaultId } = await sdkAccount('private')
  const vaultKey = createVaultKey()
  const file = await uploadPrivate(client, randomBytes(3 * MIB), { vaultId, vaultKey, name: 'a' })
  const stored = await read(await download(client, file))
  const flipped = Buffer.from(stored)
  flipped[2 * MIB + 50] = (flipped[2 * MIB + 50] as number) ^ 1
  const swapped = Buffer.concat([stored.subarray(MIB, 2 * MIB), stored.subarray(0, MIB), stored.subarray(2 * MIB)])
  const record = (changed: object) => JSON.stringify({ ...file, checksumSha256: null, ...changed })
  const lies: [Buffer, object][] = [
    [flipped, {}],
    [swapped, {}],
    [stored.subarray(0, 2 * MIB), { sizeBytes: 2 * MIB, plaintextSizeBytes: 2 * (MIB - 32) }],
    [stored.subarray(0, 2 * MIB), { sizeBytes: 2 * MIB }],
    [stored, { encryptionIv: `B${file.encryptionIv?.slice(1)}` }],
  ]
  for (const [bytes, changed] of lies) {
    const lying = again({
      attempts: 2,
      fetch: async (url, init) => {
        if (url.endsWith(`/api/files/${file.id}`)) return new Response(record(changed))
        return url.includes('/api/files/') ? fetch(url, init) : new Response(new Uint8Array(bytes))
      },
    })
    const reading = async () => read(await downloadPrivate(lying, file, { vaultKey }))
    await expect(reading()).rejects.toThrow(DecryptionError)
  }
})

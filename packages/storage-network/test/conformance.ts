import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NetworkError, type NetworkErrorCode } from '../src/errors.ts'
import type { ByteRange, Reference, StorageNetwork } from '../src/storage-network.ts'

/** A driver on a network of its own, and the ways to hurt that network which only the driver's tests know. */
export interface NetworkUnderTest extends AsyncDisposable {
  network: StorageNetwork
  /** Changes the stored byte at `offset` of this file's copy. */
  damage(blobId: string, fileId: string, offset: number): Promise<void>
  /** Makes every staged, uncommitted byte vanish. */
  loseStaged(): Promise<void>
}

const MIB = 1024 * 1024
const SIZES = {
  empty: 0,
  'one byte': 1,
  '1 MiB - 1': MIB - 1,
  '1 MiB': MIB,
  '1 MiB + 1': MIB + 1,
  '3 MiB + 7': 3 * MIB + 7,
}
const signal = () => new AbortController().signal
export const newFileId = (): string => randomUUID()
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The bytes in pieces of uneven length, as a network would deliver them. */
export function bodyOf(bytes: Buffer): Readable {
  const pieces: Buffer[] = []
  for (let at = 0, length = 1; at < bytes.length; at += length, length = (length * 7) % 100_003) {
    pieces.push(bytes.subarray(at, at + length))
  }
  return Readable.from(pieces)
}

export async function store(network: StorageNetwork, fileId: string, bytes: Buffer): Promise<string> {
  await using staged = await network.stage(bodyOf(bytes), { fileId, signal: signal() })
  await staged.commit()
  return staged.blobId
}

export async function read(network: StorageNetwork, blobId: string, fileId?: string, range?: ByteRange) {
  return await buffer(await network.open(blobId, { fileId, range, signal: signal() }))
}

/** The code of the `NetworkError` that the promise must end with. */
export async function codeOf(promise: Promise<unknown>): Promise<NetworkErrorCode> {
  const error = await promise.then(
    () => expect.unreachable('it should have failed'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof NetworkError) return error.code
  throw error
}

/** What every driver must hold, whatever network is behind it. */
export function describeStorageNetwork(name: string, open: () => Promise<NetworkUnderTest>): void {
  describe(`${name}: a storage network`, () => {
    let under: NetworkUnderTest
    let network: StorageNetwork
    beforeAll(async () => {
      under = await open()
      network = under.network
    })
    afterAll(async () => await under[Symbol.asyncDispose]())

    describeStoring(() => network)
    describeReading(() => network)
    describeReferences(() => network)
    describeDamage(() => under)
  })
}

function describeStoring(network: () => StorageNetwork): void {
  for (const [label, size] of Object.entries(SIZES)) {
    it(`keeps a blob of ${label} bit for bit and knows its size and digest`, async () => {
      const bytes = randomBytes(size)
      const fileId = newFileId()
      await using staged = await network().stage(bodyOf(bytes), { fileId, signal: signal() })
      expect(staged).toMatchObject({ sizeBytes: size, sha256: sha256(bytes) })
      const { expiresAt } = await staged.commit()
      expect(expiresAt !== null).toBe(network().caps.expires)
      expect((await read(network(), staged.blobId)).equals(bytes)).toBe(true)
      expect((await read(network(), staged.blobId, fileId)).equals(bytes)).toBe(true)
      expect(await network().stat(staged.blobId, fileId, signal())).toEqual({
        state: 'present',
        sizeBytes: size,
        expiresAt,
      })
      const proof = await network().prove(staged.blobId, fileId, staged, signal())
      expect(proof).toEqual({ ok: true, expiresAt })
    })
  }

  it('gives equal bytes equal ids and different bytes different ids', async () => {
    const bytes = randomBytes(2 * MIB)
    const first = await store(network(), newFileId(), bytes)
    expect(await store(network(), newFileId(), bytes)).toBe(first)
    expect(await store(network(), newFileId(), Buffer.concat([bytes, Buffer.of(0)]))).not.toBe(first)
  })

  it('can be repeated: stage and commit again, and a commit called twice, leave one readable copy', async () => {
    const bytes = randomBytes(MIB + 3)
    const fileId = newFileId()
    const blobId = await store(network(), fileId, bytes)
    await using again = await network().stage(bodyOf(bytes), { fileId, signal: signal() })
    await again.commit()
    await again.commit()
    await again.discard()
    expect((await read(network(), blobId, fileId)).equals(bytes)).toBe(true)
  })

  it('has no reference before the commit, nor after a discard', async () => {
    const fileId = newFileId()
    const staged = await network().stage(bodyOf(randomBytes(500)), { fileId, signal: signal() })
    expect(await network().stat(staged.blobId, fileId, signal())).toEqual({ state: 'absent' })
    await staged.discard()
    await staged.discard()
    expect(await network().stat(staged.blobId, fileId, signal())).toEqual({ state: 'absent' })
    expect(await codeOf(staged.commit())).toBe('staged_lost')
  })

  it('passes on the error of a body that breaks off, as it is', async () => {
    const broken = async function* () {
      yield randomBytes(MIB)
      throw new Error('the source broke off')
    }
    await expect(network().stage(broken(), { fileId: newFileId(), signal: signal() })).rejects.toThrow(
      'the source broke off',
    )
  })

  it('ends staging when the signal aborts, even while the body stands still, and lets go of the body', async () => {
    const abort = new AbortController()
    const body = new Readable({ read: () => undefined })
    body.push(randomBytes(1000))
    const staging = network().stage(body, { fileId: newFileId(), signal: abort.signal })
    abort.abort()
    await expect(staging).rejects.toMatchObject({ name: 'AbortError' })
    expect(body.destroyed).toBe(true)
  })
}

function describeReading(network: () => StorageNetwork): void {
  it('gives every range exactly', async () => {
    const bytes = randomBytes(3 * MIB + 7)
    const fileId = newFileId()
    const blobId = await store(network(), fileId, bytes)
    const edges = [0, 1, MIB - 1, MIB, MIB + 1, 2 * MIB, 3 * MIB - 1, 3 * MIB, bytes.length - 1]
    for (const start of edges) {
      for (const end of edges.filter((edge) => edge >= start)) {
        const part = await read(network(), blobId, fileId, { start, end })
        expect(part.equals(bytes.subarray(start, end + 1)), `bytes ${start}-${end}`).toBe(true)
      }
    }
  })

  it('refuses a range that leaves the blob, rather than give fewer bytes than asked for', async () => {
    const blobId = await store(network(), newFileId(), randomBytes(100))
    for (const [start, end] of [
      [0, 100],
      [100, 100],
      [5, 4],
      [-1, 4],
    ] as const) {
      expect(await codeOf(network().open(blobId, { range: { start, end }, signal: signal() }))).toBe('refused')
    }
  })

  it('answers not_found for a blob it does not have, and for an id that is none', async () => {
    const unknown = await network().stage(bodyOf(randomBytes(40)), { fileId: newFileId(), signal: signal() })
    await unknown.discard()
    expect(await codeOf(network().open(unknown.blobId, { signal: signal() }))).toBe('not_found')
    expect(await codeOf(network().open('../etc', { signal: signal() }))).toBe('not_found')
  })

  it('ends a stream when the signal aborts', async () => {
    const blobId = await store(network(), newFileId(), randomBytes(3 * MIB))
    const abort = new AbortController()
    const stream = await network().open(blobId, { signal: abort.signal })
    stream.read(0)
    abort.abort()
    await expect(buffer(stream)).rejects.toMatchObject({ name: 'AbortError' })
    await expect(network().open(blobId, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' })
  })
}

function describeReferences(network: () => StorageNetwork): void {
  it("removes one file's copy, once or twice, and leaves another's of the same bytes", async () => {
    const bytes = randomBytes(MIB + 5)
    const [kept, gone] = [newFileId(), newFileId()]
    const expected = { sha256: sha256(bytes), sizeBytes: bytes.length }
    const blobId = await store(network(), kept, bytes)
    await store(network(), gone, bytes)
    const answer = network().caps.removes ? 'released' : 'expires'
    for (const name of [blobId, blobId, '../etc']) expect(await network().remove(gone, name, signal())).toBe(answer)
    expect(await network().prove(blobId, kept, expected, signal())).toMatchObject({ ok: true })
    if (!network().caps.removes) return
    expect(await network().prove(blobId, gone, expected, signal())).toEqual({ ok: false, reason: 'absent' })
    expect(await network().stat(blobId, gone, signal())).toEqual({ state: 'absent' })
    await network().remove(kept, blobId, signal())
    expect(await codeOf(network().open(blobId, { signal: signal() }))).toBe('not_found')
  })

  it('stores again what was removed', async () => {
    const bytes = randomBytes(70_000)
    const fileId = newFileId()
    const blobId = await store(network(), fileId, bytes)
    await network().remove(fileId, blobId, signal())
    await store(network(), fileId, bytes)
    expect((await read(network(), blobId, fileId)).equals(bytes)).toBe(true)
  })

  it("does not take another file's copy for a proof", async () => {
    const bytes = randomBytes(300)
    const blobId = await store(network(), newFileId(), bytes)
    const expected = { sha256: sha256(bytes), sizeBytes: bytes.length }
    expect(await network().prove(blobId, newFileId(), expected, signal())).toEqual({ ok: false, reason: 'absent' })
    expect(await codeOf(network().open(blobId, { fileId: newFileId(), signal: signal() }))).toBe('not_found')
    expect(await codeOf(network().renew(blobId, newFileId(), signal()))).toBe('not_found')
  })

  it('renews a copy that is there', async () => {
    const fileId = newFileId()
    const blobId = await store(network(), fileId, randomBytes(300))
    expect((await network().renew(blobId, fileId, signal())).expiresAt !== null).toBe(network().caps.expires)
  })

  it('lists every reference with its size, and none that was staged, discarded or removed', async () => {
    const [kept, gone, open] = [newFileId(), newFileId(), newFileId()]
    const blobId = await store(network(), kept, Buffer.from('kept'))
    await network().remove(gone, await store(network(), gone, Buffer.from('kept')), signal())
    await using _staged = await network().stage(bodyOf(Buffer.from('open')), { fileId: open, signal: signal() })
    const listed: Reference[] = []
    for await (const reference of network().references(signal())) listed.push(reference)
    expect(listed).toContainEqual({ blobId, fileId: kept, sizeBytes: 4, storedAt: expect.any(Date) })
    expect(listed.filter(({ fileId }) => [gone, open].includes(fileId))).toEqual([])
  })

  it('refuses a file id that could name something else', async () => {
    const blobId = await store(network(), newFileId(), Buffer.alloc(1))
    for (const fileId of ['', '../up', 'a/b', 'x.dag', 'a'.repeat(129)]) {
      expect(await codeOf(network().stage(bodyOf(Buffer.alloc(1)), { fileId, signal: signal() }))).toBe('refused')
      expect(await codeOf(network().remove(fileId, blobId, signal()))).toBe('refused')
    }
  })

  it('is healthy, and says so for as long as anybody waits', async () => {
    await network().health(signal())
    await Promise.all([network().health(signal()), network().health(signal(), { toStore: false })])
    await expect(network().health(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })
}

function describeDamage(under: () => NetworkUnderTest): void {
  it('gives a proof only for the expected bytes', async () => {
    const { network } = under()
    const bytes = randomBytes(2 * MIB)
    const fileId = newFileId()
    const blobId = await store(network, fileId, bytes)
    const expected = { sha256: sha256(bytes), sizeBytes: bytes.length }
    const mismatch = { ok: false, reason: 'mismatch' }
    expect(await network.prove(blobId, fileId, { ...expected, sizeBytes: 5 }, signal())).toEqual(mismatch)
    expect(await network.prove(blobId, fileId, { ...expected, sha256: sha256(Buffer.of(1)) }, signal())).toEqual(
      mismatch,
    )
  })

  it('never gives a damaged byte: no proof, no range over it, no whole; a new commit heals the copy', async () => {
    const { network, damage } = under()
    const bytes = randomBytes(3 * MIB + 7)
    const fileId = newFileId()
    const blobId = await store(network, fileId, bytes)
    const expected = { sha256: sha256(bytes), sizeBytes: bytes.length }
    await damage(blobId, fileId, 2 * MIB + 10)
    expect(await network.prove(blobId, fileId, expected, signal())).toEqual({ ok: false, reason: 'mismatch' })
    expect(await codeOf(read(network, blobId, fileId))).toBe('integrity')
    expect(await codeOf(read(network, blobId, fileId, { start: 2 * MIB, end: 2 * MIB + 1 }))).toBe('integrity')
    await store(network, fileId, bytes)
    expect(await network.prove(blobId, fileId, expected, signal())).toMatchObject({ ok: true })
  })

  it('fails a commit, to be tried again, when the staged bytes are gone', async () => {
    const { network, loseStaged } = under()
    const fileId = newFileId()
    await using staged = await network.stage(bodyOf(randomBytes(MIB + 9)), { fileId, signal: signal() })
    await loseStaged()
    await expect(staged.commit()).rejects.toMatchObject({ code: 'staged_lost', retryable: true })
    expect(await network.stat(staged.blobId, fileId, signal())).toEqual({ state: 'absent' })
  })
}

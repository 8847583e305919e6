import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Reference, StorageNetwork } from '../src/storage-network.ts'
import { cidOf, formatCid, RAW } from '../src/unixfs/cid.ts'
import { bodyOf, codeOf, factsOf, nameOf, newReference, read, sha256, store, storeNot } from './copies.ts'
import { describeDamage } from './damage-found.ts'
import type { HurtableNetwork } from './networks-under-test.ts'

const MIB = 1024 * 1024
const SIZES = {
  empty: 0,
  'one byte': 1,
  '1 MiB - 1': MIB - 1,
  '1 MiB': MIB,
  '1 MiB + 1': MIB + 1,
  '2 MiB + 7': 2 * MIB + 7,
}
const signal = () => new AbortController().signal

/** Walrus knows a blob only by its ID: equal bytes are immediately the same blob. */
const knowsReferences = (name: string): boolean => name !== 'walrus'

/** The guarantees of every driver, for any network behind it. */
export function describeStorageNetwork(
  name: string,
  open: () => Promise<HurtableNetwork>,
  { mendsTrees }: { mendsTrees: boolean } = { mendsTrees: !['ipfs', 'walrus'].includes(name) },
): void {
  describe(`${name}: a storage network`, () => {
    let under: HurtableNetwork
    let network: StorageNetwork
    beforeAll(async () => {
      under = await open()
      network = under.network
    })
    afterAll(async () => await under[Symbol.asyncDispose]())

    describeStoring(() => under, { isKeptAsItIs: name !== 'walrus' })
    if (knowsReferences(name)) describeUncommitted(() => network)
    describeReading(() => network)
    describeRemoval(() => network)
    if (knowsReferences(name)) describeReferences(() => network)
    describeAnybody(() => network)
    describeDamage(() => under, { mendsTrees })
  })
}

/** `isKeptAsItIs`: the bytes themselves are billed, not an encoding of them. */
function describeStoring(under: () => HurtableNetwork, { isKeptAsItIs }: { isKeptAsItIs: boolean }): void {
  const network = () => under().network
  for (const [label, size] of Object.entries(SIZES)) {
    it(`stores a blob of ${label} bit for bit, reports its size and digest, and bills for everything stored`, async () => {
      const bytes = randomBytes(size)
      const reference = newReference()
      await using staged = await network().stage(bodyOf(bytes), { reference, signal: signal() })
      expect(staged).toMatchObject({ sizeBytes: size, sha256: sha256(bytes) })
      const committed = await staged.commit()
      const { expiresAt } = committed
      expect(expiresAt !== null).toBe(network().caps.expires)
      const copy = nameOf(staged, reference, committed)
      expect((await read(network(), { blobId: copy.blobId })).equals(bytes)).toBe(true)
      expect((await read(network(), copy)).equals(bytes)).toBe(true)
      expect(await network().stat(copy, signal())).toEqual({ state: 'present', sizeBytes: size, expiresAt })
      expect(await network().prove(copy, staged, signal())).toEqual({ ok: true, expiresAt })
      if (!isKeptAsItIs) return
      const tree = size > MIB ? await under().treeOf(copy) : ''
      expect(network().billedBytes(size)).toBe((await under().contentOf(copy)).length + tree.length)
    })
  }

  it('bills for the smallest copy, and returns a lease end only if copies expire', () => {
    expect(network().billedBytes(1)).toBeGreaterThanOrEqual(1)
    expect(network().leaseEnd() !== null).toBe(network().caps.expires)
  })

  it('assigns equal IDs to equal bytes and different IDs to different bytes', async () => {
    const bytes = randomBytes(MIB + 1)
    const { blobId } = await store(network(), bytes)
    expect((await store(network(), bytes)).blobId).toBe(blobId)
    expect((await store(network(), Buffer.concat([bytes, Buffer.of(0)]))).blobId).not.toBe(blobId)
  })

  it('leaves one readable copy after repeated staging and repeated commits', async () => {
    const bytes = randomBytes(MIB + 3)
    const { reference } = await store(network(), bytes)
    await using again = await network().stage(bodyOf(bytes), { reference, signal: signal() })
    const committed = await again.commit()
    expect(await again.commit()).toMatchObject(committed)
    await again.discard()
    expect((await read(network(), nameOf(again, reference, committed))).equals(bytes)).toBe(true)
    // A process that crashed right after the commit knows only this name.
    expect((await read(network(), nameOf(again, reference))).equals(bytes)).toBe(true)
  })

  it('fails to commit discarded bytes', async () => {
    const staged = await network().stage(bodyOf(randomBytes(500)), { reference: newReference(), signal: signal() })
    await staged.discard()
    await staged.discard()
    expect(await codeOf(staged.commit())).toBe('staged_lost')
  })

  it('passes on the error of a broken body unchanged', async () => {
    const broken = async function* () {
      yield randomBytes(MIB)
      throw new Error('the source broke off')
    }
    await expect(network().stage(broken(), { reference: newReference(), signal: signal() })).rejects.toThrow(
      'the source broke off',
    )
  })

  it('stops staging and destroys the body when the signal aborts, even if the body is stalled', async () => {
    const abort = new AbortController()
    const body = new Readable({ read: () => undefined })
    body.push(randomBytes(1000))
    const staging = network().stage(body, { reference: newReference(), signal: abort.signal })
    abort.abort()
    await expect(staging).rejects.toMatchObject({ name: 'AbortError' })
    expect(body.destroyed).toBe(true)
  })
}

/** For drivers that separate committed from uncommitted bytes. */
function describeUncommitted(network: () => StorageNetwork): void {
  it('reports no copy before the commit or after a discard', async () => {
    const reference = newReference()
    const staged = await network().stage(bodyOf(randomBytes(500)), { reference, signal: signal() })
    const copy = nameOf(staged, reference)
    expect(await network().stat(copy, signal())).toEqual({ state: 'absent' })
    await staged.discard()
    expect(await network().stat(copy, signal())).toEqual({ state: 'absent' })
  })
}

function describeReading(network: () => StorageNetwork): void {
  it('returns every range exactly', async () => {
    const bytes = randomBytes(2 * MIB + 7)
    const copy = await store(network(), bytes)
    const edges = [0, 1, MIB - 1, MIB, 2 * MIB, bytes.length - 1]
    for (const start of edges) {
      for (const end of edges.filter((edge) => edge >= start)) {
        const part = await read(network(), copy, { start, end })
        expect(part.equals(bytes.subarray(start, end + 1)), `bytes ${start}-${end}`).toBe(true)
      }
    }
  })

  it('returns small pieces, so that a slow reader shows progress', async () => {
    const copy = await store(network(), randomBytes(MIB + 7))
    for await (const chunk of await network().open(copy, { signal: signal() })) {
      expect((chunk as Buffer).length).toBeLessThanOrEqual(128 * 1024)
    }
  })

  it('refuses a range outside the blob instead of returning fewer bytes', async () => {
    const copy = await store(network(), randomBytes(100))
    for (const [start, end] of [
      [0, 100],
      [100, 100],
      [5, 4],
      [-1, 4],
    ] as const) {
      expect(await codeOf(network().open(copy, { range: { start, end }, signal: signal() }))).toBe('refused')
    }
  })

  it('returns not_found for an unknown blob ID and for an invalid one', async () => {
    const { blobId: known, ...stored } = await store(network(), randomBytes(40))
    // A valid ID that no blob has.
    const unknown = known.startsWith('baf')
      ? formatCid(cidOf(RAW, randomBytes(32)))
      : randomBytes(32).toString('base64url')
    for (const blobId of [unknown, '../etc']) {
      for (const copy of [{ blobId }, { ...stored, blobId }]) {
        expect(await codeOf(network().open(copy, { signal: signal() }))).toBe('not_found')
      }
    }
  })

  it('aborts a stream when the signal aborts', async () => {
    const copy = await store(network(), randomBytes(3 * MIB))
    const abort = new AbortController()
    const stream = await network().open(copy, { signal: abort.signal })
    stream.read(0)
    abort.abort()
    await expect(buffer(stream)).rejects.toMatchObject({ name: 'AbortError' })
    await expect(network().open(copy, { signal: abort.signal })).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('returns no stream when the signal aborts during open, because its error would have no listener', async () => {
    const copy = await store(network(), randomBytes(MIB + 1))
    const abort = new AbortController()
    const opening = network().open(copy, { signal: abort.signal })
    abort.abort()
    await expect(opening).rejects.toMatchObject({ name: 'AbortError' })
  })
}

function describeRemoval(network: () => StorageNetwork): void {
  it('removes one copy, also repeatedly, and keeps another copy of the same bytes', async () => {
    const bytes = randomBytes(MIB + 5)
    const [kept, gone] = [await store(network(), bytes), await store(network(), bytes)]
    for (const copy of [gone, gone]) {
      const { outcome, ...until } = await network().remove(copy, signal())
      expect(outcome).toBe(network().caps.removes ? 'released' : 'expires')
      if (outcome === 'expires') expect(until).toEqual({ expiresAt: expect.any(Date) })
    }
    expect(await network().remove({ ...gone, blobId: '../etc' }, signal())).toEqual({ outcome: 'released' })
    expect(await network().prove(kept, factsOf(bytes), signal())).toMatchObject({ ok: true })
    if (!network().caps.removes) return
    expect(await network().prove(gone, factsOf(bytes), signal())).toEqual({ ok: false, reason: 'absent' })
    expect(await network().stat(gone, signal())).toEqual({ state: 'absent' })
    await network().remove(kept, signal())
    expect(await codeOf(network().open({ blobId: kept.blobId }, { signal: signal() }))).toBe('not_found')
  })

  it('stores a removed copy again', async () => {
    const bytes = randomBytes(70_000)
    const gone = await store(network(), bytes)
    await network().remove(gone, signal())
    const copy = await store(network(), bytes, gone.reference)
    expect((await read(network(), copy)).equals(bytes)).toBe(true)
  })

  it('renews an existing copy', async () => {
    const copy = await store(network(), randomBytes(300))
    expect((await network().renew(copy, signal())).expiresAt !== null).toBe(network().caps.expires)
  })
}

/** For drivers that distinguish copies of the same bytes. */
function describeReferences(network: () => StorageNetwork): void {
  it('never confuses a copy with another copy of the same bytes', async () => {
    const bytes = randomBytes(300)
    await store(network(), bytes)
    const copy = await storeNot(network(), bytes)
    expect(await network().prove(copy, factsOf(bytes), signal())).toEqual({ ok: false, reason: 'absent' })
    expect(await network().stat(copy, signal())).toEqual({ state: 'absent' })
    expect(await codeOf(network().open(copy, { signal: signal() }))).toBe('not_found')
    expect(await codeOf(network().renew(copy, signal()))).toBe('not_found')
  })

  it('lists every reference with its size, but no staged, discarded, or removed ones', async () => {
    const [kept, gone] = [await store(network(), Buffer.from('kept')), await store(network(), Buffer.from('kept'))]
    await network().remove(gone, signal())
    const discarded = await storeNot(network(), Buffer.from('kept'))
    const open = newReference()
    await using _staged = await network().stage(bodyOf(Buffer.from('open')), { reference: open, signal: signal() })
    const listed: Reference[] = []
    for await (const reference of network().references(signal())) listed.push(reference)
    const { blobId, reference } = kept
    expect(listed).toContainEqual({ blobId, reference, sizeBytes: 4, storedAt: expect.any(Date) })
    const absent = [discarded.reference, open, ...(network().caps.removes ? [gone.reference] : [])]
    expect(listed.filter((found) => absent.includes(found.reference))).toEqual([])
  })
}

function describeAnybody(network: () => StorageNetwork): void {
  it('refuses invalid references', async () => {
    const copy = await store(network(), Buffer.alloc(1))
    for (const reference of ['', '../up', 'a/b', 'x.dag', 'a'.repeat(129)]) {
      const wrong = { ...copy, reference }
      const calls = [
        network().stage(bodyOf(Buffer.alloc(1)), { reference, signal: signal() }),
        network().open(wrong, { signal: signal() }),
        network().stat(wrong, signal()),
        network().prove(wrong, { sha256: '', sizeBytes: 1 }, signal()),
        network().renew(wrong, signal()),
        network().remove(wrong, signal()),
      ]
      for (const code of await Promise.all(calls.map(codeOf))) expect(code).toBe('refused')
    }
  })

  it('passes health checks, also concurrent ones, and rejects an aborted one', async () => {
    await network().health(signal())
    await Promise.all([network().health(signal()), network().health(signal(), { toStore: false })])
    await expect(network().health(AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })
}

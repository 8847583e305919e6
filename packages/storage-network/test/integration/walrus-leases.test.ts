import { randomBytes } from 'node:crypto'
import { isFullRun } from '@tideport/testing/full-run'
import { startWalrus } from '@tideport/testing/walrus'
import { describe, expect, it } from 'vitest'
import { setUpStorageNetwork } from '../../src/set-up-network.ts'
import type { CopyName } from '../../src/storage-network.ts'
import { openWalrusNetwork } from '../../src/walrus/walrus-network.ts'
import { bodyOf, codeOf, factsOf, newReference, read, store } from '../copies.ts'
import { configOf, JWT_SECRET, openWalrus } from '../walrus-under-test.ts'

const MIB = 1024 * 1024
const DAY_MS = 86_400_000
const NOWHERE = 'http://127.0.0.1:1'
const signal = () => new AbortController().signal
const nobody = { installationId: async () => 'test-installation' }
const setUp = { ...nobody, remembered: [] as CopyName[], acceptLostCopies: false }

describe('a copy on Walrus', () => {
  it('never reports a later expiry than its lease has, and is renewed from its own bytes', async () => {
    await using under = await openWalrus()
    const { network, walrus } = under
    const bytes = randomBytes(MIB + 7)
    const began = Date.now()
    await using staged = await network.stage(bodyOf(bytes), { reference: newReference(), signal: signal() })
    const { expiresAt } = await staged.commit()
    // The current one of five epochs can end at any moment.
    expect(Math.round(((expiresAt as Date).getTime() - began) / DAY_MS)).toBe(4 * 14)
    const copy = { blobId: staged.blobId, reference: 'one', ref: staged.ref }
    expect(copy.ref).toMatchObject({ endEpoch: '6', object: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    await walrus.current().epochs.advance(4)
    const renewed = await network.renew(copy, signal())
    expect(renewed.ref).toMatchObject({ endEpoch: '10' })
    expect((renewed.expiresAt as Date).getTime()).toBeGreaterThan((expiresAt as Date).getTime())
    await walrus.current().epochs.advance(4)
    const known = { ...copy, ref: renewed.ref ?? {} }
    expect(await under.open().prove(known, factsOf(bytes), signal())).toEqual({
      ok: true,
      expiresAt: renewed.expiresAt,
    })
    expect(await network.stat(known, signal())).toMatchObject({ state: 'present', expiresAt: renewed.expiresAt })
    // Renews the marker, so this still counts as the right network.
    await store(network, randomBytes(10))
    await walrus.current().epochs.advance(1)
    expect(await network.stat(known, signal())).toEqual({ state: 'absent' })
    expect(await network.prove(known, factsOf(bytes), signal())).toEqual({ ok: false, reason: 'absent' })
    expect(await codeOf(read(network, known))).toBe('not_found')
    expect(await codeOf(network.renew(known, signal()))).toBe('not_found')
  })

  it('costs nothing while it is already stored long enough, and then has no object of ours', async () => {
    await using under = await openWalrus()
    const { network, walrus } = under
    const bytes = randomBytes(1000)
    const [one, other] = [await store(network, bytes), await store(network, bytes)]
    expect(one.ref).toHaveProperty('object')
    expect(other.ref).not.toHaveProperty('object')
    expect((await walrus.current().blobs.find(one.blobId))?.objects).toHaveLength(1)
    await using deletable = await openWalrus({ isPermanent: false })
    for (const objects of [1, 2]) {
      const { blobId } = await store(deletable.network, bytes)
      expect((await deletable.walrus.current().blobs.find(blobId))?.objects).toHaveLength(objects)
    }
  })

  it('breaks a running read when it expires, and is absent from then on', async () => {
    await using under = await openWalrus()
    const { network, walrus } = under
    const copy = await store(network, randomBytes(3 * MIB))
    walrus.current().faults.set('aggregator_epoch_ends', { blobId: copy.blobId })
    expect(await codeOf(read(network, copy))).toBe('unreachable')
    // The marker has expired too, so nothing is concluded.
    expect(await codeOf(network.stat(copy, signal()))).toBe('unreachable')
    await setUpStorageNetwork(configOf(walrus), { ...setUp, acceptLostCopies: true })
    expect(await network.stat(copy, signal())).toEqual({ state: 'absent' })
  })

  it('has its tree in a separate blob if that is too long for a row, and a proof stores that blob again', async () => {
    await using under = await openWalrus()
    const { network, walrus, replaceTree, treeOf } = under
    const bytes = Buffer.alloc(41 * MIB, 'tree')
    const copy = await store(network, bytes)
    expect(copy.ref).not.toHaveProperty('tree')
    const range = { start: 40 * MIB + 5, end: 40 * MIB + 9 }
    expect((await read(under.open(), copy, range)).equals(bytes.subarray(range.start, range.end + 1))).toBe(true)
    const tree = await treeOf(copy)
    for (const damaged of isFullRun ? [null, Buffer.alloc(tree.length), tree.subarray(0, 100)] : [null]) {
      await replaceTree(copy, damaged)
      expect(await codeOf(read(under.open(), copy, range))).toBe('integrity')
      const state = await network.stat(copy, signal())
      expect(state.state).toBe(damaged === null ? 'absent' : 'present')
      expect(await network.prove(copy, factsOf(bytes), signal())).toMatchObject({ ok: true, mended: ['tree'] })
      expect((await read(under.open(), copy, range)).equals(bytes.subarray(range.start, range.end + 1))).toBe(true)
    }
    await walrus.current().epochs.advance(4)
    const renewed = await network.renew(copy, signal())
    await walrus.current().epochs.advance(4)
    expect((await read(under.open(), { ...copy, ref: renewed.ref ?? {} }, range)).length).toBe(5)
  })

  it('is never reported absent by another Walrus', async () => {
    await using under = await openWalrus()
    const copy = await store(under.network, randomBytes(100))
    await using other = await startWalrus({ token: { secret: JWT_SECRET } })
    const elsewhere = openWalrusNetwork({ ...configOf(other), ...nobody })
    const calls = [
      () => elsewhere.stat(copy, signal()),
      () => read(elsewhere, copy),
      () => elsewhere.prove(copy, { sha256: '', sizeBytes: 100 }, signal()),
      () => elsewhere.renew(copy, signal()),
      () => store(elsewhere, randomBytes(10)),
      () => elsewhere.health(signal()),
    ]
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'unreachable', fault: 'missing' })
  })

  it('is set up once, and only on a Walrus with the remembered copies', async () => {
    await using under = await openWalrus()
    const copy = await store(under.network, randomBytes(100))
    const remembered = [copy]
    expect(await setUpStorageNetwork(configOf(under.walrus), { ...setUp, remembered })).toBe('was_set_up')
    await using other = await startWalrus({ token: { secret: JWT_SECRET } })
    await expect(setUpStorageNetwork(configOf(other), { ...setUp, remembered })).rejects.toThrow('--accept-lost-copies')
    expect(await setUpStorageNetwork(configOf(other), { ...setUp, remembered, acceptLostCopies: true })).toBe('set_up')
    await expect(setUpStorageNetwork(configOf(under.walrus, { shards: 40 }), setUp)).rejects.toThrow(/40 shards/)
    await expect(setUpStorageNetwork(configOf(under.walrus, { aggregators: [NOWHERE] }), setUp)).rejects.toThrow(
      /cannot be used: the aggregator cannot be reached/,
    )
    await using third = await startWalrus({ token: { secret: JWT_SECRET } })
    await expect(
      setUpStorageNetwork(
        configOf(third, { aggregators: [other.url], publishers: [third.url], name: 'new' } as never),
        setUp,
      ),
    ).rejects.toThrow(/do not return what its publishers store/)
  })

  it('is unreachable while its network is stopped, and readable after the restart', async () => {
    await using under = await openWalrus()
    const { network, walrus } = under
    const bytes = randomBytes(1000)
    const copy = await store(network, bytes)
    await walrus.stop()
    const calls = [network.stat(copy, signal()), read(network, copy), store(network, bytes), network.health(signal())]
    expect(await Promise.all(calls.map(codeOf))).toEqual(calls.map(() => 'unreachable'))
    await walrus.start()
    expect((await read(network, copy)).equals(bytes)).toBe(true)
    await network.health(signal())
  })
})

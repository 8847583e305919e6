import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { bodyOf, codeOf, factsOf, nameOf, newReference, read, sha256, store } from './copies.ts'
import type { HurtableNetwork } from './networks-under-test.ts'

const MIB = 1024 * 1024
const signal = () => new AbortController().signal
const flipped = (bytes: Buffer, offset: number) => {
  const damaged = Buffer.from(bytes)
  damaged.writeUInt8(damaged.readUInt8(offset) ^ 0xff, offset)
  return damaged
}
/** Other bytes that replace the bytes of a copy. */
const losses: Record<string, (bytes: Buffer) => Buffer> = {
  'a flipped bit': (bytes) => flipped(bytes, 15),
  'the same, cut off': (bytes) => flipped(bytes, 15).subarray(0, -1),
  nothing: () => Buffer.alloc(0),
  'another blob': (bytes) => randomBytes(bytes.length),
}
const treeDamage: Record<string, ((tree: Buffer) => Buffer) | null> = {
  gone: null,
  flipped: (tree) => flipped(tree, 60),
  cut: (tree) => tree.subarray(0, 70),
  'too long': (tree) => Buffer.concat([tree, Buffer.alloc(100_000)]),
}

/**
 * The guarantees of every driver for copies with damaged bytes or a damaged tree. `mendsTrees`: the driver can
 * re-create the tree from the bytes. Otherwise the tree holds the bytes together.
 */
export function describeDamage(under: () => HurtableNetwork, { mendsTrees }: { mendsTrees: boolean }): void {
  it('proves only the expected bytes', async () => {
    const { network } = under()
    const bytes = randomBytes(MIB + 1)
    const copy = await store(network, bytes)
    const mismatch = { ok: false, reason: 'mismatch' }
    expect(await network.prove(copy, { ...factsOf(bytes), sizeBytes: 5 }, signal())).toEqual(mismatch)
    expect(await network.prove(copy, { ...factsOf(bytes), sha256: sha256(Buffer.of(1)) }, signal())).toEqual(mismatch)
  })

  it('never returns a damaged byte: not in a proof, a range, or a complete read; a new commit repairs the copy', async () => {
    const { network } = under()
    const bytes = randomBytes(2 * MIB + 7)
    const copy = await store(network, bytes)
    // Earlier reads must not hide the damage.
    expect((await read(network, copy)).equals(bytes)).toBe(true)
    await under().replaceContent(copy, flipped(await under().contentOf(copy), MIB + 10))
    expect(await network.prove(copy, factsOf(bytes), signal())).toEqual({ ok: false, reason: 'mismatch' })
    expect(await codeOf(read(network, copy))).toBe('integrity')
    expect(await codeOf(read(network, copy, { start: MIB, end: MIB + 1 }))).toBe('integrity')
    const healed = await store(network, bytes, copy.reference)
    expect(await network.prove(healed, factsOf(bytes), signal())).toMatchObject({ ok: true })
  })

  for (const size of [70_000, MIB + 7]) {
    it(`detects other bytes instead of ${size} bytes, and never returns them as the blob`, async () => {
      const { network, replaceContent } = under()
      const bytes = randomBytes(size)
      let copy = await store(network, bytes)
      for (const [label, hurt] of Object.entries(losses)) {
        await replaceContent(copy, hurt(bytes))
        expect(await network.prove(copy, factsOf(bytes), signal()), label).toEqual({ ok: false, reason: 'mismatch' })
        expect(await codeOf(read(network, copy)), label).toBe('integrity')
        expect(await codeOf(read(network, copy, { start: 10, end: 20 })), label).toBe('integrity')
        copy = await store(network, bytes, copy.reference)
        expect((await read(network, copy)).equals(bytes), label).toBe(true)
      }
    })
  }

  it.runIf(mendsTrees)(
    'repairs a damaged tree in a proof; until then, a check reports the copy as absent',
    async () => {
      const { network, replaceTree, treeOf, open } = under()
      const bytes = randomBytes(MIB + 3)
      const copy = await store(network, bytes)
      const { expiresAt } = await network.renew(copy, signal())
      expect(expiresAt === null).toBe(!network.caps.expires)
      for (const [label, hurt] of Object.entries(treeDamage)) {
        await replaceTree(copy, hurt === null ? null : hurt(await treeOf(copy)))
        expect(await network.stat(copy, signal()), label).toEqual({ state: 'absent' })
        const proof = { ok: true, mended: ['tree'] }
        expect(await network.prove(copy, factsOf(bytes), signal()), label).toMatchObject(proof)
        expect(await network.stat(copy, signal()), label).toMatchObject({ state: 'present', sizeBytes: bytes.length })
        expect((await read(open(), copy)).equals(bytes), label).toBe(true)
      }
    },
  )

  it('fails a commit with a retryable error when the staged bytes are missing', async () => {
    const { network, loseStaged } = under()
    const reference = newReference()
    await using staged = await network.stage(bodyOf(randomBytes((mendsTrees ? 9 : 1) * MIB + 9)), {
      reference,
      signal: signal(),
    })
    await loseStaged()
    await expect(staged.commit()).rejects.toMatchObject({ code: 'staged_lost', retryable: true })
    expect(await network.stat(nameOf(staged, reference), signal())).toEqual({ state: 'absent' })
  })
}

import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CopyName } from '../../src/storage-network.ts'
import { codeOf, factsOf, read, store } from '../copies.ts'
import { lossOf, mendable } from '../damage.ts'
import { createEmbeddedDirectory, type EmbeddedDirectory } from '../embedded-directory.ts'

const MIB = 1024 * 1024
const signal = new AbortController().signal
const SIZES = { 'one leaf': 70_000, 'several leaves': MIB + 7 }

for (const [label, size] of Object.entries(SIZES)) {
  describe(`embedded: a damaged copy of ${label}`, () => {
    let embedded: EmbeddedDirectory
    let copy: CopyName
    let other: CopyName
    const bytes = randomBytes(size)
    const expected = factsOf(bytes)
    const isLarge = size > MIB
    const pathOf = ({ blobId, reference }: CopyName) => join(embedded.dir, blobId, reference)
    beforeEach(async () => {
      embedded = await createEmbeddedDirectory()
      copy = await store(embedded.network, bytes)
      other = await store(embedded.network, randomBytes(size))
      // Earlier reads must not hide the damage.
      await read(embedded.network, copy)
    })
    afterEach(async () => await embedded[Symbol.asyncDispose]())

    /** Expects that checks detect the damage, also in a process that never read the copy. */
    async function expectSeen() {
      for (const network of [embedded.network, embedded.open()]) {
        const look = await network.stat(copy, signal)
        if (isLarge) expect(look).toEqual({ state: 'absent' })
        else expect(look.state === 'present' && look.sizeBytes === size).toBe(false)
      }
    }

    /** Expects a complete copy, also in a process that never read it. */
    async function expectWhole() {
      for (const network of [embedded.network, embedded.open()]) {
        expect(await network.prove(copy, expected, signal)).toEqual({ ok: true, expiresAt: null })
        expect(await network.stat(copy, signal)).toEqual({ state: 'present', sizeBytes: size, expiresAt: null })
        expect((await read(network, copy)).equals(bytes)).toBe(true)
      }
      const { blobId, reference } = copy
      const names = isLarge ? [reference, `${reference}.dag`] : [reference]
      expect((await readdir(join(embedded.dir, blobId))).sort()).toEqual(names)
      expect(await readdir(join(embedded.dir, 'staging'))).toEqual([])
    }

    for (const [name, { hurt, mended, small = isLarge }] of Object.entries(mendable)) {
      it.runIf(small)(`${name}: is found by a check, and repaired by 1 or 4 concurrent proofs`, async () => {
        for (const provers of [1, 4]) {
          await hurt(pathOf(copy), pathOf(other))
          expect(await codeOf(read(embedded.open(), copy))).toBe('integrity')
          // A process that has read the copy knows its tree.
          if (mended.includes('length')) expect(await codeOf(read(embedded.network, copy))).toBe('integrity')
          else expect((await read(embedded.network, copy)).equals(bytes)).toBe(true)
          await expectSeen()
          const proving = Array.from({ length: provers }, () => embedded.open().prove(copy, expected, signal))
          const proofs = await Promise.all(proving)
          for (const proof of proofs) expect(proof).toMatchObject({ ok: true })
          if (provers === 1) expect(proofs[0]).toEqual({ ok: true, expiresAt: null, mended })
          await expectWhole()
        }
        expect((await read(embedded.network, other)).length).toBe(size)
      })
    }

    for (const [name, { hurt, reason }] of Object.entries(lossOf)) {
      it(`${name}: fails a proof, is replaced by the next commit, and can be removed`, async () => {
        await hurt(pathOf(copy), pathOf(other))
        // Only readers and proofs detect damage that keeps the size of the blob.
        if (!/flipped$|another/.test(name)) await expectSeen()
        for (const network of [embedded.network, embedded.open()]) {
          expect(['integrity', 'not_found']).toContain(await codeOf(read(network, copy)))
          expect(await network.prove(copy, expected, signal)).toEqual({ ok: false, reason })
        }
        await store(embedded.network, bytes, copy.reference)
        await expectWhole()
        await hurt(pathOf(copy), pathOf(other))
        await embedded.network.remove(copy, signal)
        expect(await embedded.network.prove(copy, expected, signal)).toEqual({ ok: false, reason: 'absent' })
        expect(await readdir(join(embedded.dir, copy.blobId)).catch(() => [])).toEqual([])
      })
    }
  })
}

describe('embedded: a proof that repairs during a removal', () => {
  it('leaves a complete copy or nothing', async () => {
    await using embedded = await createEmbeddedDirectory()
    const bytes = randomBytes(MIB + 1)
    const [proving, removing] = [embedded.open(), embedded.open()]
    const outcomes = new Set<string>()
    for (let round = 0; round < 24; round++) {
      const copy = await store(embedded.network, bytes)
      await rm(join(embedded.dir, copy.blobId, `${copy.reference}.dag`))
      const proof = proving.prove(copy, factsOf(bytes), signal)
      // Hashing takes about 2 ms. The removal happens at any moment of the proof.
      const until = performance.now() + (round % 12) / 2
      while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
      await removing.remove(copy, signal)
      outcomes.add(JSON.stringify(await proof))
      expect(await readdir(embedded.dir)).not.toContain(copy.blobId)
      expect(await readdir(join(embedded.dir, 'staging'))).toEqual([])
    }
    const mended = JSON.stringify({ ok: true, expiresAt: null, mended: ['tree'] })
    const absent = JSON.stringify({ ok: false, reason: 'absent' })
    expect([mended, absent]).toEqual(expect.arrayContaining([...outcomes]))
  })
})

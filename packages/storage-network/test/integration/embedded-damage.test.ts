import { randomBytes } from 'node:crypto'
import { readdir, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CopyName } from '../../src/storage-network.ts'
import { codeOf, factsOf, read, store } from '../copies.ts'
import { createEmbeddedDirectory, type EmbeddedDirectory, flipByte } from '../embedded-directory.ts'

const MIB = 1024 * 1024
const signal = new AbortController().signal

describe('embedded: damage on the disk', () => {
  let embedded: EmbeddedDirectory
  const bytes = randomBytes(3 * MIB + 7)
  const expected = factsOf(bytes)
  let copy: CopyName
  const pathOf = ({ blobId, reference }: CopyName) => join(embedded.dir, blobId, reference)
  const entry = () => pathOf(copy)
  const prove = () => embedded.network.prove(copy, expected, signal)
  beforeEach(async () => {
    embedded = await createEmbeddedDirectory()
    copy = await store(embedded.network, bytes)
  })
  afterEach(async () => await embedded[Symbol.asyncDispose]())

  it('is detected in every leaf, by ranges over that leaf only', async () => {
    for (const damaged of [0, 1, 2, 3]) {
      const offset = Math.min(damaged * MIB + 3, bytes.length - 1)
      await flipByte(entry(), offset)
      for (const leaf of [0, 1, 2, 3]) {
        const part = read(embedded.network, copy, { start: leaf * MIB, end: leaf * MIB + 1 })
        if (leaf === damaged) expect(await codeOf(part)).toBe('integrity')
        else expect((await part).equals(bytes.subarray(leaf * MIB, leaf * MIB + 2))).toBe(true)
      }
      expect(await prove()).toEqual({ ok: false, reason: 'mismatch' })
      await flipByte(entry(), offset)
    }
    expect(await prove()).toEqual({ ok: true, expiresAt: null })
  })

  it('is not hidden by cached leaves, nor is the removal of a copy', async () => {
    const range = { start: MIB + 5, end: MIB + 9 }
    const wanted = bytes.subarray(range.start, range.end + 1)
    const given = await read(embedded.network, copy, range)
    expect(given.equals(wanted)).toBe(true)
    // The reader owns the returned bytes: changing them must not affect later reads.
    given.fill(0)
    expect((await read(embedded.network, copy, range)).equals(wanted)).toBe(true)
    await flipByte(entry(), MIB + 7)
    expect(await prove()).toEqual({ ok: false, reason: 'mismatch' })
    expect(await codeOf(read(embedded.network, copy, range))).toBe('integrity')
    await flipByte(entry(), MIB + 7)
    expect((await read(embedded.network, copy, range)).equals(wanted)).toBe(true)
    await embedded.network.remove(copy, signal)
    expect(await codeOf(read(embedded.network, copy, range))).toBe('not_found')
    expect(await codeOf(read(embedded.network, { blobId: copy.blobId }, range))).toBe('not_found')
  })

  it('never returns a byte of a damaged leaf, or anything after it', async () => {
    await flipByte(entry(), 2 * MIB)
    const received: Buffer[] = []
    const stream = await embedded.network.open({ blobId: copy.blobId }, { signal })
    const reading = async () => {
      for await (const piece of stream) received.push(piece)
    }
    expect(await codeOf(reading())).toBe('integrity')
    expect(Buffer.concat(received).equals(bytes.subarray(0, 2 * MIB))).toBe(true)
  })

  it('does not prevent reads of another copy by blob ID', async () => {
    const sound = await store(embedded.network, bytes)
    for (const hurt of [() => flipByte(entry(), 5), () => truncate(entry(), 9), () => rm(`${entry()}.dag`)]) {
      await hurt()
      expect((await read(embedded.network, { blobId: copy.blobId })).equals(bytes)).toBe(true)
      expect(await embedded.network.prove(sound, expected, signal)).toMatchObject({ ok: true })
    }
  })

  it('closes every opened file, whatever the outcome', async () => {
    const openFiles = async () => (await readdir('/dev/fd')).length
    // The garbage collector closes a forgotten file, with a warning.
    const warnings: string[] = []
    const remember = ({ message }: Error) => void warnings.push(message)
    process.on('warning', remember)
    const before = await openFiles()
    await flipByte(entry(), 2 * MIB)
    for (let round = 0; round < 20; round++) {
      await codeOf(read(embedded.network, copy))
      await read(embedded.network, copy, { start: 0, end: 5 })
      const unread = await embedded.network.open({ blobId: copy.blobId }, { signal })
      unread.destroy()
      expect(await prove()).toMatchObject({ ok: false })
      const otherSize = { ...expected, sizeBytes: 1 }
      expect(await embedded.network.prove(copy, otherSize, signal)).toMatchObject({ ok: false })
    }
    await expect.poll(openFiles).toBeLessThanOrEqual(before + 2)
    process.off('warning', remember)
    expect(warnings).toEqual([])
  })
})

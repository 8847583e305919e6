import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stageBlob } from '../../src/embedded/stage-blob.ts'
import { openVolume } from '../../src/embedded/volume.ts'
import { bodyOf, codeOf, factsOf, nameOf, newReference, store, storeNot } from '../copies.ts'
import { createEmbeddedDirectory, type EmbeddedDirectory } from '../embedded-directory.ts'

const signal = new AbortController().signal
const MIB = 1024 * 1024

describe('embedded: the shared directory', () => {
  let embedded: EmbeddedDirectory
  beforeEach(async () => {
    embedded = await createEmbeddedDirectory()
  })
  afterEach(async () => await embedded[Symbol.asyncDispose]())
  const namesIn = async (...path: string[]) => (await readdir(join(embedded.dir, ...path))).sort()
  const empty = ['staging', 'tideport-network.json']

  it('contains content and sidecar under the reference, and nothing staged after a commit, discard, or failure', async () => {
    const { network } = embedded
    const { blobId, reference } = await store(network, randomBytes(2 * MIB))
    await (await network.stage(bodyOf(randomBytes(9)), { reference, signal })).discard()
    const broken = async function* () {
      yield randomBytes(10)
      throw new Error('broke off')
    }
    await expect(network.stage(broken(), { reference, signal })).rejects.toThrow('broke off')
    expect(await namesIn()).toEqual([blobId, ...empty])
    expect(await namesIn(blobId)).toEqual([reference, `${reference}.dag`])
    expect(await namesIn('staging')).toEqual([])
  })

  it('removes the empty directory that an interrupted removal or commit left behind', async () => {
    const { network } = embedded
    const { blobId, reference } = await store(network, randomBytes(100))
    const copy = { blobId, reference, ref: {} }
    for (const name of await namesIn(blobId)) await rm(join(embedded.dir, blobId, name))
    await network.remove(copy, signal)
    expect(await namesIn()).toEqual(empty)
    await network.remove(copy, signal)
  })

  it('keeps every committed copy during concurrent removals of copies of the same bytes', async () => {
    const bytes = randomBytes(MIB + 1)
    const expected = factsOf(bytes)
    // Two drivers, like two processes.
    const [storing, removing] = [embedded.network, embedded.open()]
    for (let round = 0; round < 40; round++) {
      const gone = await store(removing, bytes)
      const reference = newReference()
      const staged = await storing.stage(bodyOf(bytes), { reference, signal })
      await Promise.all([staged.commit(), removing.remove(gone, signal)])
      const copy = nameOf(staged, reference)
      expect(await storing.prove(copy, expected, signal)).toEqual({ ok: true, expiresAt: null })
      await removing.remove(copy, signal)
    }
    expect(await namesIn()).toEqual(empty)
  })

  it('commits a copy even if the directory of its blob is removed repeatedly', async () => {
    const bytes = randomBytes(5)
    const { blobId } = await storeNot(embedded.network, bytes)
    const remover = startRemover(join(embedded.dir, blobId))
    try {
      for (let round = 0; round < 150; round++) {
        const copy = await store(embedded.network, bytes)
        expect(await embedded.network.stat(copy, signal)).toMatchObject({ state: 'present' })
        await embedded.network.remove(copy, signal)
      }
    } finally {
      await remover.terminate()
    }
  })

  it('has one complete copy after fifty concurrent commits under one reference', async () => {
    const bytes = randomBytes(MIB + 1)
    const reference = newReference()
    const copies = await Promise.all(Array.from({ length: 50 }, () => store(embedded.network, bytes, reference)))
    const copy = copies[0] ?? expect.unreachable()
    expect(await namesIn(copy.blobId)).toEqual([reference, `${reference}.dag`])
    const expected = factsOf(bytes)
    expect(await embedded.network.prove(copy, expected, signal)).toMatchObject({ ok: true })
  })

  it('fails the commit when the staging directory is missing, and can be used again', async () => {
    const reference = newReference()
    const staged = await embedded.network.stage(bodyOf(randomBytes(5)), { reference, signal })
    await rm(join(embedded.dir, 'staging'), { recursive: true })
    expect(await codeOf(staged.commit())).toBe('staged_lost')
    const copy = await store(embedded.network, randomBytes(5), reference)
    expect(await embedded.network.stat(copy, signal)).toMatchObject({ state: 'present' })
  })

  it('is cleared of staged files of dead processes, but not of those of running ones', async () => {
    const staging = join(embedded.dir, 'staging')
    for (const name of ['old.1', 'old.1.dag', 'fresh.2']) await writeFile(join(staging, name), 'x')
    const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 3600
    for (const name of ['old.1', 'old.1.dag']) await utimes(join(staging, name), twoDaysAgo, twoDaysAgo)
    await store(embedded.network, randomBytes(5))
    expect(await namesIn('staging')).toEqual(['fresh.2'])
  })

  it('accepts a blob of the largest size, rejects one more byte, and deletes what was staged', async () => {
    const options = { expectedBytes: 0, reference: newReference(), signal, maxBlobBytes: MIB + 1 }
    const volume = openVolume(embedded.dir, { name: 'disk-a', installationId: async () => 'test-installation' })
    const stage = (size: number) => stageBlob(volume, bodyOf(randomBytes(size)), options, async () => undefined)
    await (await stage(MIB + 1)).discard()
    await expect(stage(MIB + 2)).rejects.toMatchObject({ code: 'too_large', retryable: false })
    expect(await namesIn('staging')).toEqual([])
  })

  it('does not crash when a body fails before it is read', async () => {
    const body = bodyOf(randomBytes(10))
    const staging = embedded.network.stage(body, { reference: newReference(), signal })
    body.destroy(new Error('the source broke at once'))
    await expect(staging).rejects.toThrow('the source broke at once')
    expect(body.closed || (await once(body, 'close'))).toBeTruthy()
  })
})

/** Removes a directory whenever it is empty, thousands of times a second, like many removals of last copies. */
function startRemover(path: string): Worker {
  const script = `
    const { rmdirSync } = require('node:fs')
    const { workerData } = require('node:worker_threads')
    const never = new Int32Array(new SharedArrayBuffer(4))
    for (;;) {
      try { rmdirSync(workerData) } catch {}
      Atomics.wait(never, 0, 0, 0.2)
    }`
  return new Worker(script, { eval: true, workerData: path })
}

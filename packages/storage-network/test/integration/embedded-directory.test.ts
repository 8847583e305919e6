import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stageBlob } from '../../src/embedded/stage-blob.ts'
import { bodyOf, codeOf, newFileId, read, sha256, store } from '../conformance.ts'
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

  it('holds content and sidecar under the file id, and nothing staged after commit, discard or failure', async () => {
    const { network } = embedded
    const fileId = newFileId()
    const blobId = await store(network, fileId, randomBytes(2 * MIB))
    await (await network.stage(bodyOf(randomBytes(9)), { fileId, signal })).discard()
    const broken = async function* () {
      yield randomBytes(10)
      throw new Error('broke off')
    }
    await expect(network.stage(broken(), { fileId, signal })).rejects.toThrow('broke off')
    expect(await namesIn()).toEqual([blobId, ...empty])
    expect(await namesIn(blobId)).toEqual([fileId, `${fileId}.dag`])
    expect(await namesIn('staging')).toEqual([])
  })

  it('loses a blob directory with its last copy, and gets it back with the next commit', async () => {
    const bytes = randomBytes(100)
    const fileId = newFileId()
    const staged = await embedded.network.stage(bodyOf(bytes), { fileId, signal })
    await store(embedded.network, newFileId(), bytes)
    await rm(join(embedded.dir, staged.blobId), { recursive: true })
    await staged.commit()
    expect((await read(embedded.network, staged.blobId, fileId)).equals(bytes)).toBe(true)
    await embedded.network.remove(fileId, staged.blobId, signal)
    expect(await namesIn()).toEqual(empty)
  })

  it('keeps every committed copy while others of the same bytes are removed at the same time', async () => {
    const bytes = randomBytes(MIB + 1)
    const expected = { sha256: sha256(bytes), sizeBytes: bytes.length }
    // Two drivers, as two processes would have.
    const [storing, removing] = [embedded.network, embedded.open()]
    for (let round = 0; round < 40; round++) {
      const gone = newFileId()
      const blobId = await store(removing, gone, bytes)
      const fileId = newFileId()
      const staged = await storing.stage(bodyOf(bytes), { fileId, signal })
      await Promise.all([staged.commit(), removing.remove(gone, blobId, signal)])
      expect(await storing.prove(blobId, fileId, expected, signal)).toEqual({ ok: true, expiresAt: null })
      await removing.remove(fileId, blobId, signal)
    }
    expect(await namesIn()).toEqual(empty)
  })

  it('commits a copy however often the directory of its blob is removed under it', async () => {
    const bytes = randomBytes(5)
    const { blobId } = await embedded.network.stage(bodyOf(bytes), { fileId: newFileId(), signal })
    const remover = startRemover(join(embedded.dir, blobId))
    try {
      for (let round = 0; round < 150; round++) {
        const fileId = newFileId()
        await store(embedded.network, fileId, bytes)
        expect(await embedded.network.stat(blobId, fileId, signal)).toMatchObject({ state: 'present' })
        await embedded.network.remove(fileId, blobId, signal)
      }
    } finally {
      await remover.terminate()
    }
  })

  it('survives fifty commits of one file at once with one whole copy', async () => {
    const bytes = randomBytes(MIB + 1)
    const fileId = newFileId()
    const blobIds = await Promise.all(Array.from({ length: 50 }, () => store(embedded.network, fileId, bytes)))
    const blobId = blobIds[0] ?? expect.unreachable()
    expect(await namesIn(blobId)).toEqual([fileId, `${fileId}.dag`])
    const expected = { sha256: sha256(bytes), sizeBytes: bytes.length }
    expect(await embedded.network.prove(blobId, fileId, expected, signal)).toMatchObject({ ok: true })
  })

  it('counts a sidecar without content as no copy, and a commit completes it', async () => {
    const bytes = randomBytes(2 * MIB)
    const fileId = newFileId()
    const blobId = await store(embedded.network, fileId, bytes)
    await rm(join(embedded.dir, blobId, fileId))
    expect(await embedded.network.stat(blobId, fileId, signal)).toEqual({ state: 'absent' })
    expect(await codeOf(embedded.network.open(blobId, { signal }))).toBe('not_found')
    await store(embedded.network, fileId, bytes)
    expect((await read(embedded.network, blobId)).equals(bytes)).toBe(true)
  })

  it('fails the commit when the whole staging directory is gone, and can be used again', async () => {
    const fileId = newFileId()
    const staged = await embedded.network.stage(bodyOf(randomBytes(5)), { fileId, signal })
    await rm(join(embedded.dir, 'staging'), { recursive: true })
    expect(await codeOf(staged.commit())).toBe('staged_lost')
    const blobId = await store(embedded.network, fileId, randomBytes(5))
    expect(await embedded.network.stat(blobId, fileId, signal)).toMatchObject({ state: 'present' })
  })

  it('is cleared of what dead processes staged, but not of what live ones are staging', async () => {
    const staging = join(embedded.dir, 'staging')
    for (const name of ['old.1', 'old.1.dag', 'fresh.2']) await writeFile(join(staging, name), 'x')
    const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 3600
    for (const name of ['old.1', 'old.1.dag']) await utimes(join(staging, name), twoDaysAgo, twoDaysAgo)
    await store(embedded.network, newFileId(), randomBytes(5))
    expect(await namesIn('staging')).toEqual(['fresh.2'])
  })

  it('takes a blob of the largest size and not a byte more, and lets go of what it had of it', async () => {
    const options = { fileId: newFileId(), signal, maxBlobBytes: MIB + 1 }
    const volume = { dir: embedded.dir, check: async () => undefined }
    const stage = (size: number) => stageBlob(volume, bodyOf(randomBytes(size)), options, async () => undefined)
    await (await stage(MIB + 1)).discard()
    await expect(stage(MIB + 2)).rejects.toMatchObject({ code: 'too_large', retryable: false })
    expect(await namesIn('staging')).toEqual([])
  })

  it('takes no error of a body that fails before it is read for a crash', async () => {
    const body = bodyOf(randomBytes(10))
    const staging = embedded.network.stage(body, { fileId: newFileId(), signal })
    body.destroy(new Error('the source broke at once'))
    await expect(staging).rejects.toThrow('the source broke at once')
    expect(body.closed || (await once(body, 'close'))).toBeTruthy()
  })
})

/** Removes a directory whenever it is empty, some thousand times a second, as many removals of last copies would. */
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

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CopyName, StorageNetwork } from '../../src/storage-network.ts'
import { factsOf, read, store } from '../copies.ts'
import { createEmbeddedDirectory, type EmbeddedDirectory } from '../embedded-directory.ts'

const run = promisify(execFile)
const signal = new AbortController().signal
const bytes = randomBytes(1000)
const hanging = (code: string) => ({ code, fault: 'hanging' })
/** Limit of concurrent calls of the network to its disk: half of the threads of this process. */
const CALLS = 2

/** Opening a FIFO without a writer never returns, as can happen with any call to a disk. */
describe.skipIf(process.platform === 'win32')('embedded: unresponsive copies', () => {
  let embedded: EmbeddedDirectory
  let network: StorageNetwork
  let well: CopyName
  let stuck: CopyName[]
  const pathOf = ({ blobId, reference }: CopyName) => join(embedded.dir, blobId, reference)
  const letGo = async (copy: CopyName) => {
    await (await open(pathOf(copy), 'r+')).close()
    await rename(`${pathOf(copy)}.kept`, pathOf(copy))
  }
  beforeAll(async () => {
    embedded = await createEmbeddedDirectory()
    network = embedded.open({ diskCallsMax: CALLS })
    well = await store(network, bytes)
    stuck = await Promise.all(Array.from({ length: CALLS }, () => store(network, randomBytes(1000))))
    for (const copy of stuck) {
      await rename(pathOf(copy), `${pathOf(copy)}.kept`)
      await run('mkfifo', [pathOf(copy)])
    }
  })
  afterAll(async () => {
    await embedded[Symbol.asyncDispose]()
  })

  it('time out one by one; the network is unreachable while all calls are blocked, and recovers when they return', async () => {
    const [first, ...others] = stuck
    if (first === undefined) throw new Error('There are copies')
    const given = network.open(first, { signal })
    expect((await read(network, well)).equals(bytes)).toBe(true)
    await expect(given).rejects.toMatchObject(hanging('copy_failed'))
    expect(await network.prove(well, factsOf(bytes), signal)).toMatchObject({ ok: true })

    const rest = await Promise.allSettled(others.map((copy) => network.open(copy, { signal })))
    for (const one of rest) expect(one).toMatchObject({ reason: hanging('copy_failed') })
    await expect(network.open(well, { signal })).rejects.toMatchObject(hanging('unreachable'))
    await expect(network.stat(well, signal)).rejects.toMatchObject(hanging('unreachable'))
    await expect(network.health(signal)).rejects.toMatchObject(hanging('unreachable'))
    const another = embedded.open()
    expect((await read(another, well)).equals(bytes)).toBe(true)

    for (const copy of stuck) await letGo(copy)
    await expect.poll(async () => (await read(network, well).catch(() => bytes.subarray(1))).length).toBe(bytes.length)
    for (const copy of stuck) expect((await read(network, copy)).length).toBe(1000)
    await network.health(signal)
  })
})

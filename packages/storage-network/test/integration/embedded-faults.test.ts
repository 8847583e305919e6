import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { appendFile, mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CopyName, StorageNetwork } from '../../src/storage-network.ts'
import { bodyOf, codeOf, factsOf, newReference, read, store } from '../copies.ts'
import {
  createEmbeddedDirectory,
  type EmbeddedDirectory,
  openDirectory,
  setUpDirectory,
} from '../embedded-directory.ts'

const signal = new AbortController().signal
const MIB = 1024 * 1024
const run = promisify(execFile)

/** Reading it from its start is an input/output error (EIO) on any Linux. */
const UNREADABLE = '/proc/self/mem'

describe.skipIf(process.platform !== 'linux')('embedded: an unreadable copy on a working disk', () => {
  let embedded: EmbeddedDirectory
  let bad: CopyName
  let good: CopyName
  const pathOf = ({ blobId, reference }: CopyName) => join(embedded.dir, blobId, reference)
  const makeUnreadable = async (path: string) => {
    await rm(path)
    await symlink(UNREADABLE, path)
  }
  const bytes = randomBytes(2 * MIB)
  const expected = factsOf(bytes)
  beforeEach(async () => {
    embedded = await createEmbeddedDirectory()
    bad = await store(embedded.network, bytes)
    good = await store(embedded.network, bytes)
    await makeUnreadable(pathOf(bad))
  })
  afterEach(async () => await embedded[Symbol.asyncDispose]())

  it('is an error of that copy, neither a proof nor an outage', async () => {
    const { network } = embedded
    expect(await codeOf(network.prove(bad, expected, signal))).toBe('copy_failed')
    expect(await codeOf(read(network, bad))).toBe('integrity')
    // A read by blob ID uses another copy of the same bytes.
    expect((await read(network, { blobId: bad.blobId })).equals(bytes)).toBe(true)
    await network.health(signal)
    expect(await network.prove(good, expected, signal)).toMatchObject({ ok: true })
  })

  it('is repaired by a proof if only its sidecar is unreadable', async () => {
    const { network } = embedded
    await makeUnreadable(`${pathOf(good)}.dag`)
    expect(await codeOf(read(network, good))).toBe('copy_failed')
    expect(await codeOf(network.stat(good, signal))).toBe('copy_failed')
    expect(await network.prove(good, expected, signal)).toMatchObject({ ok: true, mended: ['tree'] })
    expect((await read(network, good)).equals(bytes)).toBe(true)
  })

  it('is replaced by the next commit, and can be removed', async () => {
    const { network } = embedded
    await store(network, bytes, bad.reference)
    expect(await network.prove(bad, expected, signal)).toMatchObject({ ok: true })
    await makeUnreadable(pathOf(bad))
    await network.remove(bad, signal)
    expect(await readdir(join(embedded.dir, bad.blobId))).toEqual([good.reference, `${good.reference}.dag`])
  })
})

it.skipIf(process.getuid?.() === 0)(
  'embedded: a disk that rejects writes is unreachable (skipped for root, who can write)',
  async () => {
    await using embedded = await createEmbeddedDirectory()
    await run('chmod', ['-R', 'a-w', embedded.dir])
    await expect(embedded.network.health(signal)).rejects.toMatchObject({ code: 'unreachable', fault: 'failing' })
    await run('chmod', ['-R', 'u+w', embedded.dir])
  },
)

const canMount = process.platform === 'linux' && process.getuid?.() === 0

// Only root can mount a disk this small.
describe.skipIf(!canMount)('embedded: a disk of 16 MiB', () => {
  let dir: string
  let network: StorageNetwork
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'embedded-small-disk-'))
    await run('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', dir])
    await setUpDirectory(dir)
    network = openDirectory(dir)
  })
  afterEach(async () => {
    await run('umount', ['--lazy', dir])
    await rm(dir, { recursive: true })
  })
  const stageTwenty = (sizeBytes?: number) => {
    const options = { reference: newReference(), signal, ...(sizeBytes !== undefined && { sizeBytes }) }
    return network.stage(bodyOf(randomBytes(20 * MIB)), options)
  }
  const fill = async () => {
    const { freeBytes } = (await network.space(signal)) ?? expect.unreachable()
    await writeFile(join(dir, 'filling'), Buffer.alloc(freeBytes))
  }

  it('rejects a file that does not fit, with or without a declared size, and still accepts smaller ones', async () => {
    for (const announced of [20 * MIB, undefined]) {
      await expect(stageTwenty(announced)).rejects.toMatchObject({ code: 'no_space', retryable: true })
      expect(await readdir(join(dir, 'staging'))).toEqual([])
      await network.health(signal)
      await store(network, randomBytes(MIB))
    }
  })

  it('is unreachable for writers when it is full, but not for readers, and frees space again', async () => {
    const bytes = randomBytes(MIB)
    const copy = await store(network, bytes)
    await fill()
    const full = { code: 'unreachable', fault: 'full' }
    await expect(network.health(signal)).rejects.toMatchObject(full)
    await expect(network.stage(bodyOf(Buffer.alloc(1)), { reference: newReference(), signal })).rejects.toMatchObject(
      full,
    )
    await network.health(signal, { toStore: false })
    expect((await read(network, copy)).equals(bytes)).toBe(true)
    await network.remove(copy, signal)
    await network.health(signal)
  })

  it('proves nothing about a copy with a lost sidecar while the disk is full, and repairs it later', async () => {
    const bytes = randomBytes(2 * MIB)
    const copy = await store(network, bytes)
    await rm(join(dir, copy.blobId, `${copy.reference}.dag`))
    await fill()
    expect(await codeOf(network.prove(copy, factsOf(bytes), signal))).toBe('no_space')
    await rm(join(dir, 'filling'))
    expect(await network.prove(copy, factsOf(bytes), signal)).toMatchObject({ ok: true, mended: ['tree'] })
    expect(await readdir(join(dir, 'staging'))).toEqual([])
  })

  it('proves nothing about damaged copies while the disk is read-only, and repairs them later', async () => {
    const bytes = randomBytes(2 * MIB)
    const [torn, grown] = [await store(network, bytes), await store(network, bytes)]
    await rm(join(dir, torn.blobId, `${torn.reference}.dag`))
    await appendFile(join(dir, grown.blobId, grown.reference), 'garbage')
    await run('mount', ['-o', 'remount,ro', dir])
    for (const copy of [torn, grown]) {
      expect(await codeOf(network.prove(copy, factsOf(bytes), signal))).toBe('unreachable')
    }
    await run('mount', ['-o', 'remount,rw', dir])
    expect(await network.prove(torn, factsOf(bytes), signal)).toMatchObject({ ok: true, mended: ['tree'] })
    expect(await network.prove(grown, factsOf(bytes), signal)).toMatchObject({ ok: true, mended: ['length'] })
  })

  it('keeps a reserve of 5% on a small disk, and reports its space', async () => {
    const careful = openDirectory(dir, { reserveBytes: 1024 ** 3 })
    const space = await careful.space(signal)
    expect(space).toEqual({ freeBytes: space?.freeBytes, totalBytes: 16 * MIB, reserveBytes: (16 * MIB) / 20 })
    await fill()
    await truncate(join(dir, 'filling'), 15.5 * MIB)
    await network.health(signal)
    await expect(careful.health(signal)).rejects.toMatchObject({ code: 'unreachable', fault: 'full' })
  })

  it('is unreachable when it is unmounted during a store, and nothing is created at its mount point', async () => {
    const reference = newReference()
    const staged = await network.stage(bodyOf(randomBytes(9)), { reference, signal })
    await run('umount', ['--lazy', dir])
    await expect(staged.commit()).rejects.toMatchObject({ code: 'unreachable', fault: 'missing' })
    await expect(stageTwenty()).rejects.toMatchObject({ code: 'unreachable', fault: 'missing' })
    expect(await readdir(dir)).toEqual([])
    await run('mount', ['-t', 'tmpfs', 'tmpfs', dir])
  })
})

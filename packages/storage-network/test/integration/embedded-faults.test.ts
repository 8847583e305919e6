import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StorageNetwork } from '../../src/storage-network.ts'
import { bodyOf, codeOf, newFileId, read, sha256, store } from '../conformance.ts'
import {
  createEmbeddedDirectory,
  type EmbeddedDirectory,
  openDirectory,
  setUpDirectory,
} from '../embedded-directory.ts'

const signal = new AbortController().signal
const MIB = 1024 * 1024
const run = promisify(execFile)

/** Reading it from its start is an input/output error (EIO), on any Linux. */
const UNREADABLE = '/proc/self/mem'

describe.skipIf(process.platform !== 'linux')('embedded: an unreadable copy on a disk that works', () => {
  let embedded: EmbeddedDirectory
  let blobId: string
  const bytes = randomBytes(2 * MIB)
  const expected = { sha256: sha256(bytes), sizeBytes: bytes.length }
  const [bad, good] = [newFileId(), newFileId()]
  beforeEach(async () => {
    embedded = await createEmbeddedDirectory()
    for (const fileId of [bad, good]) blobId = await store(embedded.network, fileId, bytes)
    const sidecar = join(embedded.dir, blobId, `${bad}.dag`)
    await rm(sidecar)
    await symlink(UNREADABLE, sidecar)
  })
  afterEach(async () => await embedded[Symbol.asyncDispose]())

  it('is a failure of that copy, neither a proof nor an outage', async () => {
    const { network } = embedded
    expect(await codeOf(network.prove(blobId, bad, expected, signal))).toBe('copy_failed')
    expect(await codeOf(read(network, blobId, bad))).toBe('copy_failed')
    await network.health(signal)
    expect(await network.prove(blobId, good, expected, signal)).toMatchObject({ ok: true })
  })

  it('is read by its blob id from another copy of the same bytes', async () => {
    expect((await read(embedded.network, blobId)).equals(bytes)).toBe(true)
  })

  it('is replaced by the next commit, and can be removed', async () => {
    const { network } = embedded
    await store(network, bad, bytes)
    expect(await network.prove(blobId, bad, expected, signal)).toMatchObject({ ok: true })
    await rm(join(embedded.dir, blobId, `${bad}.dag`))
    await symlink(UNREADABLE, join(embedded.dir, blobId, `${bad}.dag`))
    await network.remove(bad, blobId, signal)
    expect(await readdir(join(embedded.dir, blobId))).toEqual([good, `${good}.dag`])
  })
})

it.skipIf(process.getuid?.() === 0)(
  'embedded: a disk that takes nothing is down (not shown to root, who may)',
  async () => {
    await using embedded = await createEmbeddedDirectory()
    await run('chmod', ['-R', 'a-w', embedded.dir])
    await expect(embedded.network.health(signal)).rejects.toMatchObject({ code: 'unreachable', fault: 'failing' })
    await run('chmod', ['-R', 'u+w', embedded.dir])
  },
)

const canMount = process.platform === 'linux' && process.getuid?.() === 0

// Only root may mount a disk that small.
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
    const options = { fileId: newFileId(), signal, ...(sizeBytes !== undefined && { sizeBytes }) }
    return network.stage(bodyOf(randomBytes(20 * MIB)), options)
  }
  const fill = async () => {
    const { freeBytes } = (await network.space(signal)) ?? expect.unreachable()
    await writeFile(join(dir, 'filling'), Buffer.alloc(freeBytes))
  }

  it('refuses a file that it has no room for, announced or not, and goes on with smaller ones', async () => {
    for (const announced of [20 * MIB, undefined]) {
      await expect(stageTwenty(announced)).rejects.toMatchObject({ code: 'no_space', retryable: true })
      expect(await readdir(join(dir, 'staging'))).toEqual([])
      await network.health(signal)
      await store(network, newFileId(), randomBytes(MIB))
    }
  })

  it('is unreachable for whoever stores when it is full, but not for whoever reads, and gives room back', async () => {
    const bytes = randomBytes(MIB)
    const fileId = newFileId()
    const blobId = await store(network, fileId, bytes)
    await fill()
    const full = { code: 'unreachable', fault: 'full' }
    await expect(network.health(signal)).rejects.toMatchObject(full)
    await expect(network.stage(bodyOf(Buffer.alloc(1)), { fileId: newFileId(), signal })).rejects.toMatchObject(full)
    await network.health(signal, { toStore: false })
    expect((await read(network, blobId, fileId)).equals(bytes)).toBe(true)
    await network.remove(fileId, blobId, signal)
    await network.health(signal)
  })

  it('keeps a reserve, on a small disk a twentieth, and tells how much there is', async () => {
    const careful = openDirectory(dir, undefined, 1024 ** 3)
    const space = await careful.space(signal)
    expect(space).toEqual({ freeBytes: space?.freeBytes, totalBytes: 16 * MIB, reserveBytes: (16 * MIB) / 20 })
    await fill()
    await truncate(join(dir, 'filling'), 15.5 * MIB)
    await network.health(signal)
    await expect(careful.health(signal)).rejects.toMatchObject({ code: 'unreachable', fault: 'full' })
  })

  it('is unreachable when it is unmounted while something is stored, and nothing is left in its place', async () => {
    const fileId = newFileId()
    const staged = await network.stage(bodyOf(randomBytes(9)), { fileId, signal })
    await run('umount', ['--lazy', dir])
    await expect(staged.commit()).rejects.toMatchObject({ code: 'unreachable', fault: 'missing' })
    await expect(stageTwenty()).rejects.toMatchObject({ code: 'unreachable', fault: 'missing' })
    expect(await readdir(dir)).toEqual([])
    await run('mount', ['-t', 'tmpfs', 'tmpfs', dir])
  })
})

import { randomUUID } from 'node:crypto'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { NetworkError } from '../errors.ts'
import type { StagedBlob } from '../storage-network.ts'
import { formatCid } from '../unixfs/cid.ts'
import type { ContentFacts } from '../verified/content-digest.ts'
import { hasSidecar } from '../verified/sidecar.ts'
import {
  blobDir,
  doesExist,
  entryPath,
  errno,
  ifExists,
  onDisk,
  sidecarPath,
  stagingDir,
  syncDirectory,
} from './disk.ts'
import { LeafWriter } from './leaf-writer.ts'
import { makeWay, replaceFile } from './replace-file.ts'
import { createStaged, writeStaged } from './staging.ts'
import type { Volume } from './volume.ts'

export interface StageOptions {
  reference: string
  expectedBytes: number
  signal: AbortSignal
  maxBlobBytes: number
}

/** Streams the body and its sidecar into `staging/` after `ready`, and syncs both. */
export async function stageBlob(
  volume: Volume,
  body: AsyncIterable<Uint8Array>,
  options: StageOptions,
  ready: () => Promise<void>,
): Promise<StagedBlob> {
  const source = body instanceof Readable ? body : Readable.from(body)
  // Without a listener, a body that fails before it is read would crash the process. The loop below throws its error.
  source.on('error', () => undefined)
  const content = join(stagingDir(volume.dir), `${options.reference}.${randomUUID()}`)
  try {
    await ready()
    const written = await writeContent(volume, content, source, options)
    if (written.sidecar.length > 0) await writeStaged(volume, sidecarPath(content), written.sidecar)
    return stagedBlob(volume, content, options.reference, written)
  } catch (error) {
    await discardStaged(volume, content).catch(() => undefined)
    throw error
  } finally {
    source.destroy()
  }
}

async function writeContent(
  volume: Volume,
  path: string,
  source: Readable,
  options: StageOptions,
): Promise<ContentFacts> {
  await using file = await createStaged(volume, path)
  const writer = new LeafWriter(file, options.expectedBytes)
  let sizeBytes = 0
  for await (const chunk of addAbortSignal(options.signal, source) as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.length
    if (sizeBytes > options.maxBlobBytes)
      throw new NetworkError('too_large', 'the blob is larger than the network accepts')
    await writer.write(chunk)
  }
  return await writer.finish()
}

function stagedBlob(volume: Volume, content: string, reference: string, written: ContentFacts): StagedBlob {
  const blobId = formatCid(written.rootCid)
  let committed = false
  const discard = async () => {
    if (!committed) await discardStaged(volume, content)
  }
  return {
    blobId,
    sha256: written.sha256,
    sizeBytes: written.sizeBytes,
    ref: {},
    commit: async () => {
      if (!committed) await commitStaged(volume, content, { blobId, reference, sizeBytes: written.sizeBytes })
      committed = true
      return { expiresAt: null }
    },
    discard,
    [Symbol.asyncDispose]: discard,
  }
}

async function discardStaged({ writes }: Volume, content: string): Promise<void> {
  await onDisk(writes.run(() => rm(content, { force: true })))
  await onDisk(writes.run(() => rm(sidecarPath(content), { force: true })))
}

const PLACING_ATTEMPTS = 1000

/**
 * Renames staged bytes into place, the sidecar first, because the presence of the content is the commit. Replaces an
 * existing copy without trusting it. Resolves when the copy is durable.
 */
async function commitStaged(
  volume: Volume,
  content: string,
  target: { blobId: string; reference: string; sizeBytes: number },
): Promise<void> {
  const { dir, reads, writes } = volume
  await volume.check()
  const staged = await ifExists(reads.run(() => stat(content)))
  if (staged?.size !== target.sizeBytes) throw await stagedLost(volume)
  const entry = entryPath(dir, target.blobId, target.reference)
  const parent = blobDir(dir, target.blobId)
  if (hasSidecar(target.blobId)) {
    await place(volume, parent, sidecarPath(content), sidecarPath(entry))
    // Once the directory contains the sidecar, only a removal of this copy can delete the directory.
    if ((await replaceFile(writes, content, entry)) === null) throw await stagedLost(volume)
  } else {
    await place(volume, parent, content, entry)
  }
  await onDisk(writes.run(() => syncDirectory(parent)))
  await onDisk(volume.syncNames())
  // The commit counts only on this network's volume.
  await volume.check()
}

/** Creates the directory again if a concurrent removal of the blob's last copy deletes it. */
async function place(volume: Volume, parent: string, from: string, to: string): Promise<void> {
  for (let attempt = 1; attempt <= PLACING_ATTEMPTS; attempt++) {
    await makeDirectory(volume, parent)
    if (await replaceFile(volume.writes, from, to)) return
    if (!(await doesExist(volume.reads, from))) throw await stagedLost(volume)
    await makeWay(volume.writes, parent)
  }
  throw new NetworkError('copy_failed', 'the directory of a blob was removed repeatedly')
}

/** Not `recursive`: that fails with ENOENT if another process removes the directory just after `mkdir` finds it. */
async function makeDirectory(volume: Volume, path: string): Promise<void> {
  const make = () =>
    mkdir(path).catch((cause: unknown) => {
      if (errno(cause) !== 'EEXIST') throw cause
    })
  await ifExists(volume.writes.run(make))
}

async function stagedLost(volume: Volume): Promise<NetworkError> {
  await volume.check()
  return new NetworkError('staged_lost', 'the staged bytes no longer exist')
}

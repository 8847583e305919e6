import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { NetworkError } from '../errors.ts'
import type { StagedBlob } from '../storage-network.ts'
import { formatCid } from '../unixfs/cid.ts'
import type { ContentFacts } from '../verified/content-digest.ts'
import { commitStaged } from './commit-staged.ts'
import { onDisk, sidecarPath, stagingDir } from './disk.ts'
import { LeafWriter } from './leaf-writer.ts'
import { createStaged, writeStaged } from './staging.ts'
import type { Volume } from './volume.ts'

export interface StageOptions {
  reference: string
  expectedBytes: number
  signal: AbortSignal
  maxBlobBytes: number
}

/** Streams the body and its sidecar into `staging/`, both synced, after `ready`. */
export async function stageBlob(
  volume: Volume,
  body: AsyncIterable<Uint8Array>,
  options: StageOptions,
  ready: () => Promise<void>,
): Promise<StagedBlob> {
  const source = body instanceof Readable ? body : Readable.from(body)
  // Until it is read, a body that fails must not take the process down; the loop below throws its error.
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
      throw new NetworkError('too_large', 'the blob is larger than the network takes')
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

import { randomUUID } from 'node:crypto'
import { addAbortSignal, Readable } from 'node:stream'
import { assertReference } from '../copy-name.ts'
import { NetworkError } from '../errors.ts'
import type { StagedBlob } from '../storage-network.ts'
import { formatCid } from '../unixfs/cid.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { ContentDigest } from '../verified/content-digest.ts'
import { leavesOf } from '../verified/leaves-of.ts'
import { addFile } from './add-file.ts'
import type { Kubo } from './kubo.ts'
import { MAX_BLOB_BYTES } from './limits.ts'
import { entryOf } from './paths.ts'

export interface StageOptions {
  reference: string
  signal: AbortSignal
}

/** Sends bytes to a staging path. The node's ID must equal ours. A sweep deletes uncommitted bytes. */
export async function stageBlob(
  kubo: Kubo,
  body: AsyncIterable<Uint8Array>,
  { reference, signal }: StageOptions,
): Promise<StagedBlob> {
  const source = body instanceof Readable ? body : Readable.from(body)
  // Without a listener, a body that fails before it is read would crash the process. The loop below throws its error.
  source.on('error', () => undefined)
  const staged = `${kubo.paths.staging}/${Date.now()}-${randomUUID()}`
  try {
    signal.throwIfAborted()
    assertReference(reference)
    await kubo.owner.ensure(signal)
    sweepStaging(kubo)
    const digest = new ContentDigest()
    const cid = await sendAll(kubo, addAbortSignal(signal, source), { staged, digest, signal })
    const { rootCid, sha256, sizeBytes } = digest.finish()
    const blobId = formatCid(rootCid)
    if (cid !== blobId) {
      await discard(kubo, staged).catch(() => undefined) // the sweep deletes leftovers
      throw new NetworkError('copy_failed', `the IPFS node computed ${cid} for bytes with the blob ID ${blobId}`)
    }
    return stagedBlob(kubo, { blobId, reference, sha256, sizeBytes, staged, signal })
  } finally {
    source.destroy()
  }
}

interface Sending {
  staged: string
  digest: ContentDigest
  signal: AbortSignal
}

async function sendAll(
  kubo: Kubo,
  source: AsyncIterable<Uint8Array>,
  { staged, digest, signal }: Sending,
): Promise<string> {
  let broken: { error: unknown } | null = null
  // One leaf is sent while the next is filled.
  const spaces = [1, 2].map(() => Buffer.allocUnsafeSlow(UNIXFS_V1_2025.leafBytes)) as [Buffer, Buffer]
  async function* leaves(): AsyncGenerator<Buffer> {
    let leavesTaken = 0
    try {
      for await (const leaf of leavesOf(source, () => spaces[(leavesTaken % 2) as 0 | 1])) {
        digest.addLeaf(leaf)
        if (digest.sizeBytes > MAX_BLOB_BYTES)
          throw new NetworkError('too_large', 'the blob is larger than the network accepts')
        leavesTaken++
        yield leaf
      }
    } catch (error) {
      broken = { error }
      throw error
    }
  }
  try {
    return await addFile(kubo, leaves(), staged, signal)
  } catch (error) {
    signal.throwIfAborted()
    throw (broken as { error: unknown } | null)?.error ?? error
  }
}

interface Staging {
  blobId: string
  reference: string
  sha256: string
  sizeBytes: number
  staged: string
  signal: AbortSignal
}

function stagedBlob(kubo: Kubo, { blobId, reference, sha256, sizeBytes, staged, signal }: Staging): StagedBlob {
  let isCommitted = false
  let isDiscarded = false
  const drop = async () => {
    if (isCommitted || isDiscarded) return
    isDiscarded = true
    await discard(kubo, staged)
  }
  return {
    ...{ blobId, sha256, sizeBytes, ref: {}, discard: drop, [Symbol.asyncDispose]: drop },
    async commit() {
      if (isDiscarded) throw new NetworkError('staged_lost', 'the staged bytes were discarded')
      if (!isCommitted) await linkStaged(kubo, staged, { blobId, reference, sizeBytes }, signal)
      isCommitted = true
      return { expiresAt: null }
    },
  }
}

/** Runs even after the caller aborted: its signal does not apply to this cleanup. */
async function discard({ mfs, writeMs }: Kubo, staged: string): Promise<void> {
  await mfs.remove(staged, AbortSignal.timeout(writeMs))
}

/** Links the path of a copy once the node has all staged bytes. @throws NetworkError `staged_lost` if it has not */
async function linkStaged(
  { mfs, owner, paths }: Kubo,
  staged: string,
  copy: { blobId: string; reference: string; sizeBytes: number },
  signal: AbortSignal,
): Promise<void> {
  const isWhole = await mfs.isWhole(staged, copy.sizeBytes, signal)
  const isLinked = isWhole && (await mfs.link(staged, `${paths.shardOf(copy.blobId)}/${entryOf(copy)}`, signal))
  if (!isLinked) {
    await owner.check(signal)
    throw new NetworkError('staged_lost', 'the staged bytes no longer exist')
  }
  await mfs.remove(staged, signal).catch(() => undefined) // the sweep deletes leftovers
}

const STALE_AFTER_MS = 24 * 60 * 60 * 1000
const EVERY_MS = 60 * 60 * 1000
const SWEEP_MS = 5 * 60 * 1000

const sweptAt = new WeakMap<Kubo, number>()

/** Deletes bytes that dead processes staged, at the start and once an hour, by the time in their names. */
function sweepStaging(kubo: Kubo): void {
  if (performance.now() - (sweptAt.get(kubo) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return
  sweptAt.set(kubo, performance.now())
  void sweep(kubo, Date.now() - STALE_AFTER_MS, AbortSignal.timeout(SWEEP_MS)).catch(() => undefined)
}

async function sweep({ mfs, paths }: Kubo, before: number, signal: AbortSignal): Promise<void> {
  for (const { name } of (await mfs.list(paths.staging, signal)) ?? []) {
    if (Number.parseInt(name, 10) < before) await mfs.remove(`${paths.staging}/${name}`, signal)
  }
}

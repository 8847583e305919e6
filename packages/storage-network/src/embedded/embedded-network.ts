import type { Dirent } from 'node:fs'
import { opendir, readdir, stat } from 'node:fs/promises'
import { assertReference, begin, isBlobId, isReference } from '../copy-name.ts'
import type { NetworkIdentity } from '../identity.ts'
import type { Reference, ReferenceState, StorageNetwork } from '../storage-network.ts'
import { parseCid } from '../unixfs/cid.ts'
import { blobIdOfLeaf } from '../unixfs/dag-builder.ts'
import { dagSize } from '../unixfs/dag-size.ts'
import { hasSidecar, verifySidecar } from '../verified/sidecar.ts'
import { handOver } from '../verified/verified-stream.ts'
import { blobDir, entryPath, ifExists, noSuchCopy, onDisk } from './disk.ts'
import { createHealth } from './health.ts'
import { createBlobReader } from './open-blob.ts'
import { openFile } from './open-file.ts'
import { orAborted } from './or-aborted.ts'
import { proveCopy } from './prove-copy.ts'
import { readSidecar } from './read-sidecar.ts'
import { removeCopy } from './remove-copy.ts'
import { assertRoom, spaceOf } from './space.ts'
import { stageBlob } from './stage-blob.ts'
import { keepStaging } from './staging.ts'
import { openVolume, type Volume } from './volume.ts'

/** Bounds the sidecar in a reader's memory to about 52 MB. */
const MAX_BLOB_BYTES = 1024 ** 4

export interface EmbeddedNetworkOptions extends NetworkIdentity {
  dir: string
  /** Free bytes to keep. A small volume keeps at most 5% of its size. */
  reserveBytes: number
  diskCallsMax?: number
}

/** A network in a directory, with the blob IDs of Kubo's profile `unixfs-v1-2025`. Many processes may share it. */
export function openEmbeddedNetwork({
  dir,
  reserveBytes,
  diskCallsMax,
  ...identity
}: EmbeddedNetworkOptions): StorageNetwork {
  const volume = openVolume(dir, identity, diskCallsMax)
  const sweepStaging = keepStaging(volume)
  const reader = createBlobReader(volume)
  const ready = async (signal: AbortSignal, reference?: string): Promise<void> => {
    begin(reference, signal)
    await volume.check()
  }
  const stat: StorageNetwork['stat'] = async ({ blobId, reference }, signal) => {
    await ready(signal, reference)
    return await statCopy(volume, blobId, reference)
  }
  return {
    name: identity.name,
    driver: 'embedded',
    maxBlobBytes: MAX_BLOB_BYTES,
    caps: { expires: false, removes: true },
    blobIdOf: blobIdOfLeaf,
    billedBytes: (sizeBytes) => sizeBytes + dagSize(sizeBytes).sidecarBytes,
    leaseEnd: () => null,
    stage: async (body, { reference, sizeBytes = 0, signal }) =>
      await stageBlob(
        volume,
        body,
        { reference, signal, expectedBytes: sizeBytes, maxBlobBytes: MAX_BLOB_BYTES },
        async () => {
          signal.throwIfAborted()
          assertReference(reference)
          await assertRoom(volume, reserveBytes, sizeBytes)
          await sweepStaging()
        },
      ),
    open: async (copy, { range, signal }) => {
      const { blobId } = copy
      const reference = 'reference' in copy ? copy.reference : undefined
      await ready(signal, reference)
      if (!isBlobId(blobId)) throw noSuchCopy()
      const stream = await (reference === undefined
        ? reader.openAnyCopy(blobId, range)
        : reader.openCopy(blobId, reference, range))
      return handOver(stream, signal)
    },
    stat,
    references: (signal) => listReferences(volume, signal),
    prove: async (copy, expected, signal) => {
      await ready(signal, copy.reference)
      if (!isBlobId(copy.blobId)) return { ok: false, reason: 'absent' }
      return await proveCopy(volume, copy, expected, signal)
    },
    renew: async (copy, signal) => {
      if ((await stat(copy, signal)).state === 'absent') throw noSuchCopy()
      return { expiresAt: null }
    },
    remove: async ({ blobId, reference }, signal) => {
      await ready(signal, reference)
      await removeCopy(volume, blobId, reference)
      return { outcome: 'released' }
    },
    health: createHealth(volume, reserveBytes),
    space: async (signal) => await orAborted(spaceOf(volume, reserveBytes), signal),
  }
}

/** Checks that the content opens and that the sidecar matches blob ID and size. Does not read the content. */
async function statCopy(volume: Volume, blobId: string, reference: string): Promise<ReferenceState> {
  const sizeBytes = isBlobId(blobId) ? await sizeOf(volume, entryPath(volume.dir, blobId, reference), blobId) : null
  if (sizeBytes !== null) return { state: 'present', sizeBytes, expiresAt: null }
  await volume.check()
  return { state: 'absent' }
}

async function sizeOf({ reads }: Volume, path: string, blobId: string): Promise<number | null> {
  await using file = await openFile(reads, path)
  if (file === null) return null
  const content = await file.stat()
  if (!content.isFile()) return null
  if (!hasSidecar(blobId)) return content.size
  const [rootCid, sidecar] = [parseCid(blobId), await readSidecar(reads, path, content.size)]
  return rootCid && sidecar && verifySidecar(rootCid, content.size, sidecar) ? content.size : null
}

/** Every committed copy, in no order. Fails if the volume is unmounted during the listing. */
async function* listReferences(volume: Volume, signal: AbortSignal): AsyncGenerator<Reference> {
  const { dir, reads } = volume
  await volume.check()
  for await (const { name: blobId } of listNames(volume)) {
    signal.throwIfAborted()
    if (!isBlobId(blobId)) continue
    for (const reference of (await ifExists(reads.run(() => readdir(blobDir(dir, blobId))))) ?? []) {
      if (!isReference(reference)) continue
      const entry = await ifExists(reads.run(() => stat(entryPath(dir, blobId, reference))))
      if (entry?.isFile()) yield { blobId, reference, sizeBytes: entry.size, storedAt: entry.mtime }
    }
  }
  await volume.check()
}

async function* listNames({ dir, reads }: Volume): AsyncGenerator<Dirent> {
  const opening = reads.run(
    () => opendir(dir),
    (late) => late.close(),
  )
  const names = await onDisk(opening)
  try {
    for (;;) {
      const name = await onDisk(reads.run(() => names.read()))
      if (name === null) return
      yield name
    }
  } finally {
    await reads.tidy(() => names.close())
  }
}

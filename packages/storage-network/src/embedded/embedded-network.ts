import { access, constants } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import type { StorageNetwork } from '../storage-network.ts'
import { assertFileId, isBlobId, noSuchCopy, onDisk, stagingDir } from './disk.ts'
import { openAnyCopy, openCopy } from './open-blob.ts'
import { prepareDirectory } from './prepare-directory.ts'
import { proveCopy } from './prove-copy.ts'
import { removeCopies } from './remove-copy.ts'
import { stageBlob } from './stage-blob.ts'
import { statCopy } from './stat-copy.ts'

/** Bounds the sidecar that a reader holds to about 52 MB. */
const MAX_BLOB_BYTES = 1024 ** 4

/**
 * A network in a directory, for one machine: a copy is the plain content plus the tree that proves it, under the same
 * blob ids as Kubo's profile `unixfs-v1-2025`. Any number of processes may share the directory. One disk is one copy.
 */
export function openEmbeddedNetwork(dir: string): StorageNetwork {
  let prepared: Promise<boolean> | null = null
  const ready = async (signal: AbortSignal, fileId?: string): Promise<void> => {
    signal.throwIfAborted()
    if (fileId !== undefined) assertFileId(fileId)
    prepared ??= prepareDirectory(dir)
    if (!(await prepared)) prepared = null
  }
  const stat: StorageNetwork['stat'] = async (blobId, fileId, signal) => {
    await ready(signal, fileId)
    return await statCopy(dir, blobId, fileId)
  }
  return {
    id: 'embedded',
    maxBlobBytes: MAX_BLOB_BYTES,
    caps: { expires: false, removes: true },
    stage: async (body, { fileId, signal }) => {
      const limits = { fileId, signal, maxBlobBytes: MAX_BLOB_BYTES }
      return await stageBlob(dir, body, limits, () => ready(signal, fileId))
    },
    open: async (blobId, { fileId, range, signal }) => {
      await ready(signal, fileId)
      if (!isBlobId(blobId)) throw noSuchCopy()
      const stream = await (fileId === undefined
        ? openAnyCopy(dir, blobId, range)
        : openCopy(dir, blobId, fileId, range))
      return addAbortSignal(signal, stream)
    },
    stat,
    prove: async (blobId, fileId, expected, signal) => {
      await ready(signal, fileId)
      if (!isBlobId(blobId)) return { ok: false, reason: 'absent' }
      return await proveCopy(dir, { blobId, fileId }, expected, signal)
    },
    renew: async (blobId, fileId, signal) => {
      if ((await stat(blobId, fileId, signal)).state === 'absent') throw noSuchCopy()
      return { expiresAt: null }
    },
    remove: async (fileId, blobId, signal) => {
      await ready(signal, fileId)
      await removeCopies(dir, fileId, blobId, signal)
      return 'released'
    },
    health: async (signal) => {
      await ready(signal)
      await onDisk(access(stagingDir(dir), constants.R_OK | constants.W_OK))
    },
  }
}

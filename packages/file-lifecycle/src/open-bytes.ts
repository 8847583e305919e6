import type { Readable } from 'node:stream'
import { AppError, unavailable } from '@tideport/service-kit/app-error'
import { NetworkError } from '@tideport/storage-network/errors'
import type { ByteRange, StorageNetwork } from '@tideport/storage-network/storage-network'
import type { HotTier } from './hot-tier.ts'
import type { FileRow } from './tables.ts'

/** Whether the hot tier should have the file's bytes. */
export function isInHotTier(file: FileRow): boolean {
  return file.hotKey !== null && file.confirmedAt !== null
}

/** Whether the network holds a copy that was made permanent. */
export function isOnNetwork(file: FileRow): file is FileRow & { blobId: string } {
  return file.blobId !== null && file.syncedAt !== null
}

/**
 * Opens a confirmed file's bytes, or a range of them: the hot object while it is there, else the network's copy. A hot
 * object that is missing always falls through to the network. Throws `content_lost` when neither has it.
 */
export async function openBytes(
  { hotTier, network }: { hotTier: HotTier; network: StorageNetwork },
  file: FileRow,
  range: ByteRange | undefined,
  signal: AbortSignal,
): Promise<Readable> {
  if (isInHotTier(file) && file.hotKey !== null) {
    const hot = await openHot(hotTier, file.hotKey, range, signal, isOnNetwork(file))
    if (hot) return hot
  }
  if (!isOnNetwork(file)) throw lost()
  try {
    return await openCopy(network, file, range, signal)
  } catch (error) {
    if (isGone(error)) throw lost(error)
    if (error instanceof NetworkError) throw unavailable('The storage network is temporarily unavailable', error)
    throw error
  }
}

/** The file's own copy or, when that is gone or damaged, any other of the same blob: its id proves the bytes. */
export async function openCopy(
  network: StorageNetwork,
  file: FileRow & { blobId: string },
  range: ByteRange | undefined,
  signal: AbortSignal,
): Promise<Readable> {
  try {
    return await network.open(file.blobId, { fileId: file.id, range, signal })
  } catch (error) {
    if (!isGone(error)) throw error
    return await network.open(file.blobId, { range, signal })
  }
}

function isGone(error: unknown): boolean {
  return error instanceof NetworkError && (error.code === 'not_found' || error.code === 'integrity')
}

/** A store that is down does not hide the network's copy. */
async function openHot(
  hotTier: HotTier,
  key: string,
  range: ByteRange | undefined,
  signal: AbortSignal,
  hasOtherCopy: boolean,
): Promise<Readable | null> {
  try {
    return await hotTier.open(key, range, signal)
  } catch (error) {
    if (hasOtherCopy && error instanceof AppError && error.code === 'unavailable') return null
    throw error
  }
}

function lost(cause?: unknown): AppError {
  return new AppError('content_lost', 'The bytes of this file are lost', { cause })
}

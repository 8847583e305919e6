import type { Readable } from 'node:stream'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import { NetworkError } from '@tideport/storage-network/errors'
import type { ByteRange, StorageNetwork } from '@tideport/storage-network/storage-network'
import type { HotTier } from '../hot-tier/hot-tier.ts'
import type { FileRow } from '../state/tables.ts'

/** How long a store may think about bytes that the network has too. */
const STORE_PATIENCE_MS = 2_000

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
 * object that is missing always falls through to the network, and so does one whose store is down or does not begin to
 * answer within 2 s. Throws `content_lost` when neither has it.
 */
export async function openBytes(
  { hotTier, network }: { hotTier: HotTier; network: StorageNetwork },
  file: FileRow,
  range: ByteRange | undefined,
  signal: AbortSignal,
): Promise<Readable> {
  const { hotKey } = file
  if (isInHotTier(file) && hotKey !== null) {
    const open = (until: AbortSignal) => hotTier.open(hotKey, range, until)
    const bytes = isOnNetwork(file) ? await unlessDown(open, signal) : await open(signal)
    if (bytes) return bytes
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

/** The file's own copy or, when that is gone, damaged or unreadable, any other of the same blob: its id proves the bytes. */
export async function openCopy(
  network: StorageNetwork,
  file: FileRow & { blobId: string },
  range: ByteRange | undefined,
  signal: AbortSignal,
): Promise<Readable> {
  try {
    return await network.open(file.blobId, { fileId: file.id, range, signal })
  } catch (error) {
    if (!isGone(error) && !isUnreadable(error)) throw error
    return await network.open(file.blobId, { range, signal })
  }
}

function isUnreadable(error: unknown): boolean {
  return error instanceof NetworkError && error.code === 'copy_failed'
}

function isGone(error: unknown): boolean {
  return error instanceof NetworkError && (error.code === 'not_found' || error.code === 'integrity')
}

/** Null also when the store is down: it does not hide the network's copy. */
async function unlessDown(open: (signal: AbortSignal) => Promise<Readable | null>, gone: AbortSignal) {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), STORE_PATIENCE_MS)
  try {
    return await open(AbortSignal.any([gone, late.signal]))
  } catch (error) {
    if (!gone.aborted && (late.signal.aborted || isDown(error))) return null
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function isDown(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable'
}

function lost(cause?: unknown): AppError {
  return new AppError('content_lost', 'The bytes of this file are lost', { cause })
}

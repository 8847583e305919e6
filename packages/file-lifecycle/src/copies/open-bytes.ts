import type { Readable } from 'node:stream'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { ByteRange } from '@tideport/storage-network/storage-network'
import { type FileCopies, readableCopies } from '../state/file-copies.ts'
import type { FileRow } from '../state/tables.ts'
import { type OpenedBytes, openCopies, type ReadDeps } from './open-copies.ts'

/** How long a store may think about bytes that a network has too. */
const STORE_WAIT_MS = 2_000

/** Whether the hot tier should have the file's bytes. */
export function isInHotTier(file: FileRow): boolean {
  return file.hotKey !== null && file.confirmedAt !== null
}

/**
 * Opens a confirmed file's bytes, or a range of them: the hot object while it is there, else its copies, best first;
 * the next one when one is absent, wrong or cannot be reached before its first byte. A hot object that is missing
 * always falls through to the networks, and so does one whose store is down or does not begin to answer within 2 s.
 * A copy that is found absent or wrong is checked now. Throws `content_lost` when by their own answer none has it,
 * `restoring` when one lies in an archive and is being brought back, `unavailable` when one that may cannot be asked, or is wrong: until its check it may be mended. The caller reads the bytes or destroys them; what fails before they
 * are read takes no process down.
 */
export async function openBytes(
  deps: ReadDeps & { hotTier: HotTier },
  { file, copies }: FileCopies,
  range: ByteRange | undefined,
  signal: AbortSignal,
): Promise<OpenedBytes> {
  const { hotKey } = file
  const { hotTier } = deps
  const readable = readableCopies(copies, deps.networks)
  if (isInHotTier(file) && hotKey !== null && !(isOpenToOthers(file) && readable.length > 0)) {
    const open = (until: AbortSignal) => hotTier.open(hotKey, { sizeBytes: file.sizeBytes, range }, until)
    const bytes = readable.length > 0 ? await unlessDown(open, signal) : await open(signal)
    if (bytes) return { bytes: bytes.on('error', ignore), source: 'hot' }
  }
  const opened = await openCopies(deps, readable, range, signal)
  opened.bytes.on('error', ignore)
  return opened
}

/**
 * Whether a client may put other bytes in the place of the hot object: once that was dropped, while an URL for one PUT
 * lives (docs/file-lifecycle.md §6).
 */
function isOpenToOthers({ uploadForm, uploadKey, hotKey, evictingAt, cleanupAfter }: FileRow): boolean {
  return uploadForm === 'once' && hotKey === uploadKey && evictingAt !== null && cleanupAfter !== null
}

const ignore = () => undefined

/** Null also when the store is down: it does not hide the networks' copies. */
async function unlessDown(open: (signal: AbortSignal) => Promise<Readable | null>, gone: AbortSignal) {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), STORE_WAIT_MS)
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

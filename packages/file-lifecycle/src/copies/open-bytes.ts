import type { Readable } from 'node:stream'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import { NetworkError } from '@tideport/storage-network/errors'
import type { ByteRange } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { nameOf } from '../state/copy-transitions.ts'
import { type FileCopies, type NamedCopy, readableCopies } from '../state/file-copies.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { isOfNetwork } from '../work/is-outage.ts'
import { checkSoon } from './check-soon.ts'
import { isGone } from './failures.ts'
import type { Networks } from './networks.ts'

export interface ReadDeps {
  db: Kysely<FilesDb>
  networks: Networks
}

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
 * `unavailable` when one that may cannot be asked, or is wrong: until its check it may be mended. The caller reads the bytes or destroys them; what fails before they
 * are read takes no process down.
 */
export async function openBytes(
  deps: ReadDeps & { hotTier: HotTier },
  { file, copies }: FileCopies,
  range: ByteRange | undefined,
  signal: AbortSignal,
): Promise<Readable> {
  const { hotKey } = file
  const { hotTier } = deps
  const readable = readableCopies(copies, deps.networks)
  if (isInHotTier(file) && hotKey !== null && !(isOpenToOthers(file) && readable.length > 0)) {
    const open = (until: AbortSignal) => hotTier.open(hotKey, range, until)
    const bytes = readable.length > 0 ? await unlessDown(open, signal) : await open(signal)
    if (bytes) return bytes.on('error', ignore)
  }
  return (await openCopies(deps, readable, range, signal)).on('error', ignore)
}

/**
 * Whether a client may put other bytes in the place of the hot object: once that was dropped, while an URL for one PUT
 * lives (docs/file-lifecycle.md §6).
 */
function isOpenToOthers({ uploadForm, uploadKey, hotKey, evictingAt, cleanupAfter }: FileRow): boolean {
  return uploadForm === 'once' && hotKey === uploadKey && evictingAt !== null && cleanupAfter !== null
}

const ignore = () => undefined

/** The first of these copies that can be read. Throws as `openBytes` when none can. */
export async function openCopies(
  { db, networks }: ReadDeps,
  readable: readonly NamedCopy[],
  range: ByteRange | undefined,
  signal: AbortSignal,
): Promise<Readable> {
  let failure: unknown
  let mayBeThere = false
  for (const copy of readable) {
    const network = networks.get(copy.network)
    mayBeThere ||= network === undefined
    if (network === undefined) continue
    try {
      return await network.open(nameOf(copy), { range, signal })
    } catch (error) {
      if (!(error instanceof NetworkError) || signal.aborted) throw error
      // A network that is down explains more than a copy that is not as it should be.
      if (!isOfNetwork(failure)) failure = error
      mayBeThere ||= error.code !== 'not_found'
      // Nothing of the reader's hangs on it.
      if (isGone(error)) await checkSoon(db, copy.fileId, [copy.network]).catch(() => undefined)
      // Another file's copy of the same bytes is as good: its id proves them. A network that is down, or keeps its
      // callers waiting, has none either.
      if (isOfNetwork(error)) continue
      const other = await network.open({ blobId: copy.blobId }, { range, signal }).catch(() => null)
      if (other) return other
    }
  }
  if (mayBeThere) throw unavailable('The storage network is temporarily unavailable', failure)
  throw new AppError('content_lost', 'The bytes of this file are lost', { cause: failure })
}

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

import type { Readable } from 'node:stream'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import { NetworkError } from '@tideport/storage-network/errors'
import type { ByteRange, StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { nameOf } from '../state/copy-transitions.ts'
import { type FileCopies, type NamedCopy, readableCopies } from '../state/file-copies.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { checkSoon, isGone, isOfNetwork, restoringSeconds } from '../work/failures.ts'
import type { Networks } from './networks.ts'

/** How long to wait for the store if a network also has the bytes. */
const STORE_WAIT_MS = 2_000

export function isInHotTier(file: FileRow): boolean {
  return file.hotKey !== null && file.confirmedAt !== null
}

/**
 * Opens the bytes of a confirmed file, or a range: from the hot object or, if that is missing or its store is
 * unavailable or takes longer than 2 s, from the copies, best first. Schedules immediate checks of absent and damaged
 * copies. Throws `content_lost` only when all networks deny the bytes, `restoring` while a copy is in an archive, and
 * `unavailable` when a copy may still exist. The caller reads or destroys the bytes. A failure before that does not
 * crash the process.
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

/** Whether a client's PUT URL could still re-create a deleted hot object (docs/explain/life-of-a-file.md §6). */
function isOpenToOthers({ uploadForm, uploadKey, hotKey, evictingAt, cleanupAfter }: FileRow): boolean {
  return uploadForm === 'once' && hotKey === uploadKey && evictingAt !== null && cleanupAfter !== null
}

/** Also null while the store is unavailable or slow, because the networks' copies can be read. */
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

export interface ReadDeps {
  db: Kysely<FilesDb>
  networks: Networks
}

/** Where the bytes come from: `hot`, or the name of a network. */
export interface OpenedBytes {
  bytes: Readable
  source: string
}

/**
 * Opens the first readable copy in the order of `networks.speeds`. Tries the next after a failure, and one in ten times
 * after a delay, and then uses the first response. Throws as `openBytes` does.
 */
export async function openCopies(
  deps: ReadDeps,
  readable: readonly NamedCopy[],
  range: ByteRange | undefined,
  signal: AbortSignal,
): Promise<OpenedBytes> {
  const { networks } = deps
  const failures = createFailures()
  const left = networks.speeds.order(readable).flatMap((copy) => {
    const network = networks.get(copy.network)
    if (network === undefined) failures.noteUnknown()
    return network ? [{ copy, network }] : []
  })
  const begin = (): Attempt | null => {
    const next = left.shift()
    return next
      ? attempt(next.copy.network, signal, (until) =>
          openOne(deps, next, { range, signal: until, gone: signal }, failures),
        )
      : null
  }
  for (let first = begin(); first; first = begin()) {
    const isLast = left.length === 0
    const opened = isLast
      ? await first.opened
      : await openHedged(networks.speeds, first, () => {
          const next = left[0]?.network.name
          return next !== undefined && networks.speeds.mayHedge(next) ? begin() : null
        })
    if (opened) return opened
  }
  throw failures.asError()
}

/** `opened` is null when the copy cannot be read, and rejects when no other copy could be read either. */
interface Attempt {
  network: string
  opened: Promise<OpenedBytes | null>
  /** Closes what it has opened or still opens. */
  giveUp(): void
}

function attempt(
  network: string,
  signal: AbortSignal,
  open: (signal: AbortSignal) => Promise<OpenedBytes | null>,
): Attempt {
  const own = new AbortController()
  const opened = open(AbortSignal.any([signal, own.signal]))
  opened.catch(ignore)
  return {
    network,
    opened,
    giveUp() {
      own.abort()
      void opened.then((late) => late?.bytes.destroy(), ignore)
    },
  }
}

const ignore = () => undefined

/** Waits for the first attempt and, after a delay, for a second one. Null: both failed. */
async function openHedged(
  speeds: Networks['speeds'],
  first: Attempt,
  help: () => Attempt | null,
): Promise<OpenedBytes | null> {
  const isSlow = await takesLonger(first.opened, speeds.patienceMs(first.network))
  const second = isSlow ? help() : null
  if (second === null) return await first.opened
  // A failure of the second attempt does not abort the first one.
  const helped = second.opened.catch(() => null)
  try {
    const quicker = await Promise.race([first.opened.then(() => first), helped.then(() => second)])
    const opened = await (quicker === first ? first.opened : helped)
    const other = quicker === first ? second : first
    if (opened === null) return await (other === second ? helped : first.opened)
    other.giveUp()
    return opened
  } catch (error) {
    second.giveUp()
    throw error
  }
}

async function takesLonger(work: Promise<unknown>, patienceMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(true), patienceMs)
  try {
    return await Promise.race([work.then(() => false), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function openOne(
  { db, networks }: ReadDeps,
  { copy, network }: { copy: NamedCopy; network: StorageNetwork },
  { range, signal, gone }: { range: ByteRange | undefined; signal: AbortSignal; gone: AbortSignal },
  failures: Failures,
): Promise<OpenedBytes | null> {
  const source = network.name
  const startedAt = performance.now()
  try {
    return { bytes: await network.open(nameOf(copy), { range, signal }), source }
  } catch (error) {
    if (!(error instanceof NetworkError) || signal.aborted) throw error
    failures.note(error)
    if (isGone(error)) await checkSoon(db, copy.fileId, [source]).catch(ignore)
    // Equal bytes have the same ID, so another file's copy can be read instead, unless the network is unavailable or
    // slow.
    if (isOfNetwork(error) || error.code === 'restoring') return null
    const other = await network.open({ blobId: copy.blobId }, { range, signal }).catch(() => null)
    return other && { bytes: other, source }
  } finally {
    // A read that its reader aborted does not count against the network.
    if (!gone.aborted) networks.speeds.note(source, performance.now() - startedAt)
  }
}

interface Failures {
  note(error: NetworkError): void
  /** A copy is on a network that this process does not have. */
  noteUnknown(): void
  asError(): AppError
}

function createFailures(): Failures {
  let failure: NetworkError | undefined
  let mayBeThere = false
  return {
    note(error) {
      // An unavailable network or an archive explains more than a damaged copy.
      if (!isOfNetwork(failure) && restoringSeconds(failure) === null) failure = error
      mayBeThere ||= error.code !== 'not_found'
    },
    noteUnknown() {
      mayBeThere = true
    },
    asError() {
      const retryAfterSeconds = restoringSeconds(failure)
      if (retryAfterSeconds !== null) {
        const sentence = 'The bytes of this file are being restored from an archive'
        return new AppError('restoring', sentence, { retryAfterSeconds, cause: failure })
      }
      if (mayBeThere) return unavailable('The storage network is temporarily unavailable', failure)
      return new AppError('content_lost', 'The bytes of this file are lost', { cause: failure })
    },
  }
}

const LOOK_MS = 3_000
/** 30 s of waiting. */
const LOOKS_IN_VAIN = 10

/**
 * Destroys a body whose sender stops sending, because its reader would renew its claim forever. Waits for a slow
 * reader, however long. The caller reads or destroys the body. A failure before that does not crash the process.
 */
export function cutWhenIdle(body: Readable, sender: string): Readable {
  if (body.closed) return body
  let inVain = 0
  const timer = setInterval(() => {
    inVain = body.readableLength > 0 ? 0 : inVain + 1
    if (inVain === LOOKS_IN_VAIN) body.destroy(new Error(`The ${sender} stopped sending`))
  }, LOOK_MS)
  // A listener of `data` would start the flow before a reader exists.
  body.on('readable', () => {
    inVain = 0
  })
  body.on('close', () => clearInterval(timer))
  body.on('error', () => undefined)
  return body
}

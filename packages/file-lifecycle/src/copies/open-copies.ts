import type { Readable } from 'node:stream'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import { NetworkError } from '@tideport/storage-network/errors'
import type { ByteRange, StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { nameOf } from '../state/copy-transitions.ts'
import type { NamedCopy } from '../state/file-copies.ts'
import type { FilesDb } from '../state/tables.ts'
import { isOfNetwork } from '../work/is-outage.ts'
import { checkSoon } from './check-soon.ts'
import { isGone, restoringSeconds } from './failures.ts'
import type { Networks } from './networks.ts'

export interface ReadDeps {
  db: Kysely<FilesDb>
  networks: Networks
}

/** Bytes that begin to come, and from where: `hot`, or the name of a network. */
export interface OpenedBytes {
  bytes: Readable
  source: string
}

/**
 * The first of these copies that can be read, in the order of `networks.speeds`: the next one is asked once the one before
 * has failed; or, of one read in ten, once it takes longer than it mostly does, and then whichever answers first is read.
 * A copy that is found absent or wrong is checked now.
 * @throws AppError `content_lost` when by their own answer none has it, `restoring` when one lies in an archive and is being
 * brought back, `unavailable` when one that may cannot be asked, or is wrong: until its check it may be mended
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

/** One copy that is being opened. `opened` is null when it cannot be read, and rejects when no other could be either. */
interface Attempt {
  network: string
  opened: Promise<OpenedBytes | null>
  /** Nobody wants it any more: what it opened, or still opens, is closed. */
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

/** Waits for the first attempt, and for a second one beside it when that takes long. Null: neither can be read. */
async function openHedged(
  speeds: Networks['speeds'],
  first: Attempt,
  help: () => Attempt | null,
): Promise<OpenedBytes | null> {
  const isSlow = await takesLonger(first.opened, speeds.patienceMs(first.network))
  const second = isSlow ? help() : null
  if (second === null) return await first.opened
  // It was only to help: that it cannot begin, as when too many are open, says nothing about the first.
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
    // Nothing of the reader's hangs on it.
    if (isGone(error)) await checkSoon(db, copy.fileId, [source]).catch(ignore)
    // Another file's copy of the same bytes is as good: its id proves them. A network that is down, or keeps its
    // callers waiting, has none either.
    if (isOfNetwork(error) || error.code === 'restoring') return null
    const other = await network.open({ blobId: copy.blobId }, { range, signal }).catch(() => null)
    return other && { bytes: other, source }
  } finally {
    // A reader that left says nothing about the network.
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
      // A network that is down, or an archive, explains more than a copy that is not as it should be.
      if (!isOfNetwork(failure) && restoringSeconds(failure) === null) failure = error
      mayBeThere ||= error.code !== 'not_found'
    },
    noteUnknown() {
      mayBeThere = true
    },
    asError() {
      const retryAfterSeconds = restoringSeconds(failure)
      if (retryAfterSeconds !== null) {
        const sentence = 'The bytes of this file are being brought back from an archive'
        return new AppError('restoring', sentence, { retryAfterSeconds, cause: failure })
      }
      if (mayBeThere) return unavailable('The storage network is temporarily unavailable', failure)
      return new AppError('content_lost', 'The bytes of this file are lost', { cause: failure })
    },
  }
}

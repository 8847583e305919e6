import { isUnavailable } from '@tideport/service-kit/postgres/database-errors'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Circuit } from '@tideport/service-kit/process/circuit'
import { NetworkError, type NetworkErrorCode } from '@tideport/storage-network/errors'
import { type Kysely, sql } from 'kysely'
import { appendEvents, timelinePayload } from '../state/append-event.ts'
import type { ClaimedCopy } from '../state/copy-transitions.ts'
import type { FailureCode } from '../state/state.ts'
import type { CopyRow, FilesDb } from '../state/tables.ts'

/** Reading the bytes failed, which is not a fault of the network that stores the copy. */
export class SourceError extends Error {
  override readonly name = 'SourceError'

  /** The source is unavailable, which is not a fault of the file. */
  get isDown(): boolean {
    const { cause } = this
    if (cause instanceof AppError) return cause.code === 'unavailable'
    return cause instanceof NetworkError && (cause.code === 'unreachable' || cause.code === 'restoring')
  }
}

const permanent: Partial<Record<NetworkErrorCode, FailureCode>> = {
  refused: 'network_refused',
  too_large: 'network_refused',
}

/** The code of a permanent failure; null: it may be retried. */
export function permanentFailure(error: unknown): FailureCode | null {
  if (!(error instanceof NetworkError) || error.retryable) return null
  return permanent[error.code] ?? null
}

/** The reason in the timeline; causes go to the log. */
export function failureReason(error: unknown): string {
  if (error instanceof NetworkError) return `network_${error.code}`
  if (error instanceof AppError && error.cause instanceof NetworkError) return `network_${error.cause.code}`
  return error instanceof SourceError || error instanceof AppError ? 'hot_tier' : 'unexpected'
}

/** Maximum duration of a restore from an archive, if the error contains it. The step waits for the restore. */
export function restoringSeconds(error: unknown): number | null {
  const cause = error instanceof AppError || error instanceof SourceError ? error.cause : error
  return cause instanceof NetworkError && cause.code === 'restoring' ? (cause.retryAfterSeconds ?? 3600) : null
}

/** The network denies the bytes under this reference. */
export function isGone(error: unknown): boolean {
  return error instanceof NetworkError && (error.code === 'not_found' || error.code === 'integrity')
}

/** `isGone` of the error or one of its causes. */
export function comesOfLoss(error: unknown): boolean {
  return isGone(error) || (error instanceof Error && comesOfLoss(error.cause))
}

/**
 * Whether a dependency is unavailable, which is no fault of the file. A tier that fails for one object and responds
 * otherwise is a fault of that object.
 */
export async function isOutage(error: unknown, circuit: Pick<Circuit, 'answers'>): Promise<boolean> {
  if (error instanceof NetworkError) {
    if (error.code !== 'copy_failed' && error.code !== 'no_space') return error.code === 'unreachable'
    return !(await circuit.answers())
  }
  if (error instanceof AppError && error.code === 'unavailable') {
    // Reading copies failed on networks that the circuit does not probe.
    if (error.cause instanceof NetworkError) return isOfNetwork(error.cause)
    return !(await circuit.answers())
  }
  return isUnavailable(error)
}

/** The network is unavailable or unresponsive for all copies. */
export function isOfNetwork(error: unknown): boolean {
  return error instanceof NetworkError && (error.code === 'unreachable' || error.fault === 'hanging')
}

const JITTER = 0.2

/** The base delay, doubled for each failure, ±20% so that files do not return together. */
export function retryDelaySeconds(baseSeconds: number, failures: number, random: () => number = Math.random): number {
  return baseSeconds * 2 ** failures * (1 - JITTER + 2 * JITTER * random())
}

/**
 * Counts a failed step of a copy in its row and the timeline, due again after `delaySeconds`. Null: another worker has
 * the claim.
 */
export async function recordAttempt(
  db: Kysely<FilesDb>,
  { file, copy }: ClaimedCopy,
  {
    step,
    reason,
    delaySeconds,
    counts = true,
  }: { step: string; reason: string; delaySeconds: number; counts?: boolean },
): Promise<CopyRow | null> {
  const attempt = copy.attempt + (counts ? 1 : 0)
  const payload = timelinePayload({ network: copy.network, attempt, reason, delaySeconds })
  const from = sql`(select file_id as id, ${file.accountId}::uuid as account_id from changed) as told_of`
  const { rows } = await sql<CopyRow>`
    with changed as (
      update copy set attempt = ${attempt}, due_at = now() + make_interval(secs => ${delaySeconds}),
        claimed_until = null, unfinished_claims = 0
      where file_id = ${copy.fileId} and network = ${copy.network} and state = ${copy.state}
        and fencing_token = ${copy.fencingToken}
      returning *
    ), told as (
      ${appendEvents({ kind: 'file', type: `${step}.failed`, payload, from })}
    )
    select * from changed`.execute(db)
  return rows[0] ?? null
}

/** Schedules a check of absent or damaged copies now: lost ones must not be used, others can be repaired. */
export async function checkSoon(db: Kysely<FilesDb>, fileId: string, networks: readonly string[]): Promise<void> {
  await sql`
    update copy set due_at = now()
    where file_id = ${fileId} and network = any(${networks}::text[]) and state in ('stored', 'proved') and due_at > now()`.execute(
    db,
  )
}

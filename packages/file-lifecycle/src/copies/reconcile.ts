import { failpoint } from '@tideport/service-kit/process/failpoint'
import { type Kysely, sql } from 'kysely'
import { timelinePayload } from '../state/append-event.ts'
import { beginDropping } from '../state/copy-transitions.ts'
import {
  copyOn,
  type FileCopies,
  hasEnoughLease,
  holdsBytes,
  readFileCopies,
  withCopies,
} from '../state/file-copies.ts'
import { guardedUpdate } from '../state/guarded-update.ts'
import { reloadFile } from '../state/queries.ts'
import type { CopyRow, FilesDb } from '../state/tables.ts'
import { markFailed } from '../state/transitions.ts'
import type { Networks } from './networks.ts'

export interface Wanted {
  required: readonly string[]
  leaving: readonly string[]
}

/** The next change that brings a file's copies closer to the configuration. */
export type Change =
  | { kind: 'plan'; networks: string[] }
  | { kind: 'drop'; copy: CopyRow }
  | { kind: 'evict' }
  | { kind: 'lost' }

/**
 * The only decision about a confirmed file's copies (docs/explain/copies-and-proof.md). It fills added networks,
 * empties leaving ones, and heals lost copies. Null: nothing to do.
 */
export function reconcile({ file, copies }: FileCopies, { required, leaving }: Wanted, nowMs: number): Change | null {
  if (file.status === 'uploading' || file.purgingAt !== null) return null
  const on = (network: string) => copies.find((copy) => copy.network === network)
  const missing = required.filter((network) => (on(network)?.state ?? 'dropped') === 'dropped')
  if (missing.length > 0) return { kind: 'plan', networks: missing }

  if (file.hotKey === null && !copies.some(holdsBytes)) return file.status === 'error' ? null : { kind: 'lost' }

  const isComplete = required.every((network) => holds(on(network), nowMs))
  if (!isComplete) return null
  const isDropping = copies.some(({ state }) => state === 'dropping')
  const unwanted = copies.find(({ network, state }) => leaving.includes(network) && state !== 'dropped')
  if (unwanted && !isDropping && file.evictingAt === null) return { kind: 'drop', copy: unwanted }
  return isEvictable({ file, copies }, nowMs) && !isDropping ? { kind: 'evict' } : null
}

function holds(copy: CopyRow | undefined, nowMs: number): boolean {
  return copy?.state === 'proved' && hasEnoughLease(copy, copy.leaseExpiresAt, nowMs)
}

function isEvictable({ file }: FileCopies, nowMs: number): boolean {
  const { status, hotKey, hotUntil, evictingAt, evictAttempt, evictDueAt, deletedAt } = file
  if (deletedAt !== null || hotKey === null || (status !== 'synced' && status !== 'cold')) return false
  // The eviction waits for the last URL to expire. With attempts, the URLs have expired, and it waits for copies.
  if (evictingAt !== null && evictAttempt === 0) return false
  const isDue = evictDueAt !== null && evictDueAt.getTime() <= nowMs
  return !isDue && hotUntil !== null && hotUntil.getTime() <= nowMs
}

export interface ReconcileDeps {
  db: Kysely<FilesDb>
  networks: Networks
  settleSeconds: number
}

/** Exceeded only if other processes keep changing the file. */
const CHANGES_MAX = 20

/**
 * Changes a file's copies step by step until they match the configuration. Runs after each change of a copy, and in the
 * sweep over all files, which also finishes what a crash interrupted. Can be repeated. Returns the number of changes.
 */
export async function reconcileFile(deps: ReconcileDeps, fileId: string): Promise<number> {
  let changes = 0
  for (let refusedAt = 0; changes < CHANGES_MAX; ) {
    const seen = await readFileCopies(deps.db, fileId)
    if (seen === null) return changes
    const change = reconcile(seen, deps.networks, seen.seenAt.getTime())
    // The same version was refused before, e.g. because the vault is in the trash.
    if (change === null || refusedAt === seen.file.version) return changes
    await failpoint(`reconcile.before-${change.kind}`)
    if (!(await apply(deps, seen, change))) {
      refusedAt = seen.file.version
      continue
    }
    changes += 1
    await failpoint(`reconcile.after-${change.kind}`)
  }
  return changes
}

/** Reconciles a file that the caller has just written, and reads it again only if a change is needed. */
export async function reconcileWritten(deps: ReconcileDeps, written: FileCopies): Promise<void> {
  if (reconcile(written, deps.networks, Date.now()) !== null) await reconcileFile(deps, written.file.id)
}

async function apply(
  { db, networks, settleSeconds }: ReconcileDeps,
  found: FileCopies,
  change: Change,
): Promise<unknown> {
  const { file } = found
  const anywhere = { file, from: ['hot', 'synced', 'cold', 'error'] as const, inTrashToo: true }
  switch (change.kind) {
    case 'plan': {
      const events = change.networks.map((network) => ({ type: 'copy.planned', payload: timelinePayload({ network }) }))
      return await guardedUpdate(db, { ...anywhere, plans: change.networks, events })
    }
    case 'drop':
      return await beginDropping(db, found, networks, change.copy, { settleSeconds })
    case 'evict':
      return await guardedUpdate(db, { ...anywhere, set: { evictDueAt: sql`now()` }, events: [] })
    case 'lost':
      return await markFailed(db, file, networks, 'content_lost')
  }
}

/**
 * Marks a copy as dropped, whatever its state, because its network never returns. A purge that waits for that network
 * continues immediately. False: the copy does not exist.
 */
export async function forgetCopy(db: Kysely<FilesDb>, fileId: string, network: string): Promise<boolean> {
  const gone = sql`state = 'dropped', due_at = null, lost_at = null, lease_expires_at = null, renew_due_at = null,
    billed_bytes = null, claimed_until = null, unfinished_claims = 0, fencing_token = copy.fencing_token + 1`
  for (;;) {
    const file = await reloadFile(db, fileId)
    if (file === null) return false
    const found = await withCopies(db, file)
    const copy = copyOn(found, network)
    if (copy === undefined || copy.state === 'dropped') return false
    const purgesOn = { purgeDueAt: sql`now()`, taskFailures: sql`0` }
    const forgotten = await guardedUpdate(db, {
      file,
      from: ['hot', 'synced', 'cold', 'error'],
      whilePurgedToo: true,
      ...(file.purgingAt !== null && { set: purgesOn }),
      copies: [{ network, set: gone }],
      events: [{ type: 'copy.dropped', payload: timelinePayload({ network, reason: 'forgotten' }) }],
    })
    if (forgotten) return true
  }
}

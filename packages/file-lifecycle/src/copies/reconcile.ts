import { type FileCopies, hasEnoughLease, holdsBytes } from '../state/file-copies.ts'
import type { CopyRow } from '../state/tables.ts'

export interface Wanted {
  required: readonly string[]
  leaving: readonly string[]
}

/** What is to change, so that a file's copies become what the configuration wants. */
export type Change =
  | { kind: 'plan'; networks: string[] }
  | { kind: 'drop'; copy: CopyRow }
  | { kind: 'evict' }
  | { kind: 'lost' }

/**
 * The one decision about a confirmed file's copies (docs/file-lifecycle.md §2). Adding a network fills it, leaving one
 * empties it, losing a copy heals it: all by this. Null: nothing to do.
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
  // It waits for its last URL to run out, unless it has done so and waits for copies since.
  if (evictingAt !== null && evictAttempt === 0) return false
  const isDue = evictDueAt !== null && evictDueAt.getTime() <= nowMs
  return !isDue && hotUntil !== null && hotUntil.getTime() <= nowMs
}

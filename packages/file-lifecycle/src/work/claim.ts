import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isLive } from '../state/live-file.ts'
import { CLAIM_SECONDS } from '../state/state.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'

const claimEnd = sql`now() + make_interval(secs => ${CLAIM_SECONDS})`
const SAFETY_MS = 5_000

const due = {
  sync: sql`status = 'hot' and sync_due_at <= now()`,
  evict: sql`status in ('synced', 'cold') and evict_due_at <= now()`,
  rehydrate: sql`status = 'cold' and rehydrate_due_at <= now() and evicting_at is null`,
}

/**
 * Claims a file for one step, when that is due and nobody holds it. `claims` of the answered row is the fencing
 * number that guards every later write. Null: nothing to do.
 */
export async function claimDue(db: Kysely<FilesDb>, fileId: string, step: keyof typeof due): Promise<FileRow | null> {
  const result = await sql<FileRow>`
    update file set claimed_until = ${claimEnd}, claims = claims + 1, poison = poison + 1
    where id = ${fileId} and ${due[step]} and ${isLive} and (claimed_until is null or claimed_until <= now())
    returning *`.execute(db)
  return result.rows[0] ?? null
}

/**
 * Claims a file for work that is no step of its life (purge, settling), when `condition` holds and nobody holds it.
 * What the claims without an outcome of sync and eviction count stays untouched. Null: nothing to do.
 */
export async function claimWhere(
  db: Kysely<FilesDb>,
  fileId: string,
  condition: RawBuilder<unknown>,
): Promise<FileRow | null> {
  const { rows } = await sql<FileRow>`
    update file set claimed_until = ${claimEnd}, claims = claims + 1
    where id = ${fileId} and ${condition} and (claimed_until is null or claimed_until <= now())
    returning *`.execute(db)
  return rows[0] ?? null
}

/** What a clock takes up: rows for which `where` holds, by `by` those first that have been due longest. */
export interface DueRows {
  where: RawBuilder<unknown>
  by: RawBuilder<unknown>
}

/**
 * Claims up to `limit` rows that are due, passing over what somebody else is at: any number of processes get different
 * ones, and none waits for another.
 */
export async function claimBatch(db: Kysely<FilesDb>, { where, by }: DueRows, limit: number): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    with batch as materialized (
      select id from file where ${where} and (claimed_until is null or claimed_until <= now())
      order by ${by} limit ${limit} for update skip locked
    )
    update file set claimed_until = ${claimEnd}, claims = claims + 1
    from batch where file.id = batch.id
    returning file.*`.execute(db)
  return rows
}

/** Gives back a claim that led to nothing. */
export async function releaseClaim(db: Kysely<FilesDb>, file: FileRow): Promise<void> {
  await sql`update file set claimed_until = null where id = ${file.id} and claims = ${file.claims}`.execute(db)
}

async function renewClaim(db: Kysely<FilesDb>, file: FileRow): Promise<boolean> {
  const result = await sql<{ id: string }>`
    update file set claimed_until = ${claimEnd}
    where id = ${file.id} and claims = ${file.claims} and claimed_until > now()
    returning id`.execute(db)
  return result.rows.length > 0
}

/**
 * Runs work outside Postgres under a claim that was just taken, renewing it every twelfth of its life. The signal
 * given to the work aborts on the caller's, when the claim is lost, and before it could run out unrenewed.
 */
export async function underClaim<T>(
  db: Kysely<FilesDb>,
  file: FileRow,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  let safeUntil = performance.now() + CLAIM_SECONDS * 1000 - SAFETY_MS
  let renewing = false
  const renewal = setInterval(
    async () => {
      if (performance.now() > safeUntil) return lost.abort(new Error('The claim could not be renewed'))
      if (renewing) return
      renewing = true
      const askedAt = performance.now()
      const renewed = await renewClaim(db, file).catch(() => null)
      renewing = false
      if (renewed === false) lost.abort(new Error('The claim was lost'))
      if (renewed) safeUntil = askedAt + CLAIM_SECONDS * 1000 - SAFETY_MS
    },
    (CLAIM_SECONDS * 1000) / 12,
  )
  try {
    return await work(AbortSignal.any([parent, lost.signal]))
  } finally {
    clearInterval(renewal)
  }
}

import { type Kysely, type RawBuilder, sql } from 'kysely'
import { CLAIM_SECONDS } from '../state/state.ts'
import type { CopyRow, FileRow, FilesDb } from '../state/tables.ts'
import { type StepName, steps } from './steps.ts'

const SAFETY_MS = 5_000
const claimEnd = sql`now() + make_interval(secs => ${CLAIM_SECONDS})`

/** `fencing_token` only grows. It guards every later write under the claim. */
export const claimed = sql`claimed_until = ${claimEnd}, fencing_token = fencing_token + 1`

export const isFree = (row: 'file' | 'copy') => {
  const until = sql.ref(`${row}.claimed_until`)
  return sql`(${until} is null or ${until} <= now())`
}

export type ClaimedRow = FileRow | CopyRow

/** Writes of the owner of a claim. They apply only while the claim is valid and, for a copy, its state is unchanged. */
export interface Claim {
  fileId: string
  /**
   * Runs work outside Postgres under the new claim, and renews it every twelfth of its lifetime. The signal for the
   * work aborts with the caller's signal, when the claim is lost, and before the claim expires without a renewal.
   */
  run<T>(parent: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** Writes columns other than the state. False: the claim is no longer ours. */
  write(set: RawBuilder<unknown>): Promise<boolean>
  /** Writes as `write`, and ends the claim. */
  end(set: RawBuilder<unknown>): Promise<boolean>
  /** Ends a claim without an outcome. The row stays due. */
  release(): Promise<void>
  /** Ends the claim without counting an attempt, e.g. during an outage or on shutdown. Due again after the delay. */
  handBack(step: StepName, delaySeconds: number): Promise<void>
}

/** The claim of a row as the claiming statement returned it. */
export function claimOn(db: Kysely<FilesDb>, row: ClaimedRow): Claim {
  const { table, where } = held(row)
  async function update(set: RawBuilder<unknown>, condition = sql``): Promise<boolean> {
    const { rows } = await sql`update ${table} set ${set} where ${where} ${condition} returning 1`.execute(db)
    return rows.length > 0
  }
  const claim: Claim = {
    fileId: 'network' in row ? row.fileId : row.id,
    run: (parent, work) =>
      renewing(() => update(sql`claimed_until = ${claimEnd}`, sql`and claimed_until > now()`), parent, work),
    write: update,
    end: (set) => update(sql`${set}, claimed_until = null, unfinished_claims = 0`),
    async release() {
      await update(sql`claimed_until = null`)
    },
    async handBack(step, delaySeconds) {
      const column = sql.ref(steps[step].dueColumn)
      const later = sql`now() + make_interval(secs => ${delaySeconds})`
      await claim.end(sql`${column} = case when ${column} is not null then ${later} end`)
    },
  }
  return claim
}

function held(row: ClaimedRow): { table: RawBuilder<unknown>; where: RawBuilder<unknown> } {
  const token = sql`fencing_token = ${row.fencingToken}`
  return 'network' in row
    ? {
        table: sql`copy`,
        where: sql`file_id = ${row.fileId} and network = ${row.network} and state = ${row.state} and ${token}`,
      }
    : { table: sql`file`, where: sql`id = ${row.id} and ${token}` }
}

async function renewing<T>(
  renew: () => Promise<boolean>,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  let safeUntil = performance.now() + CLAIM_SECONDS * 1000 - SAFETY_MS
  let isRenewing = false
  const renewal = setInterval(
    async () => {
      if (performance.now() > safeUntil) return lost.abort(new Error('The claim could not be renewed'))
      if (isRenewing) return
      isRenewing = true
      const askedAt = performance.now()
      const renewed = await renew().catch(() => null)
      isRenewing = false
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

/** A table whose rows steps and periodic tasks claim. */
export interface Claimable<Row> {
  table: 'file' | 'copy'
  key: readonly string[]
  /** The column that counts failures of a periodic task. */
  failures: keyof Row & string
}

export const fileRows: Claimable<FileRow> = { table: 'file', key: ['id'], failures: 'taskFailures' }
export const copyRows: Claimable<CopyRow> = { table: 'copy', key: ['file_id', 'network'], failures: 'attempt' }

/**
 * Claims a free file for work outside its steps (purge, clean-up) if `condition` holds. Leaves `unfinished_claims`
 * unchanged. Null: nothing to do.
 */
export async function claimWhere(
  db: Kysely<FilesDb>,
  fileId: string,
  condition: RawBuilder<unknown>,
): Promise<FileRow | null> {
  const { rows } = await sql<FileRow>`
    update file set ${claimed} where id = ${fileId} and ${condition} and ${isFree('file')}
    returning *`.execute(db)
  return rows[0] ?? null
}

/** The rows of a periodic task: those that match `where`, sorted by `by`, longest due first. */
export interface DueRows {
  where: RawBuilder<unknown>
  by: RawBuilder<unknown>
}

/**
 * Claims up to `limit` due rows and skips claimed ones, so concurrent processes get different rows and do not wait for
 * each other.
 */
export async function claimDue<Row>(
  db: Kysely<FilesDb>,
  { table, key }: Claimable<Row>,
  { where, by }: DueRows,
  limit: number,
): Promise<Row[]> {
  const isSame = key.map((column) => sql`${sql.ref(`${table}.${column}`)} = ${sql.ref(`batch.${column}`)}`)
  const { rows } = await sql<Row>`
    with batch as materialized (
      select ${sql.join(key.map((column) => sql.ref(column)))} from ${sql.table(table)} where ${where} and ${isFree(table)}
      order by ${by} limit ${limit} for update skip locked
    )
    update ${sql.table(table)} set ${claimed} from batch where ${sql.join(isSame, sql` and `)}
    returning ${sql.table(table)}.*`.execute(db)
  return rows
}

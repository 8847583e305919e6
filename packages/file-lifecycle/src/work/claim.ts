import { type Kysely, type RawBuilder, sql } from 'kysely'
import { askedRows, holding } from '../state/asked-rows.ts'
import type { ClaimedCopy } from '../state/copy-transitions.ts'
import {
  copiesOfFile,
  copyFromJson,
  type FileWithJson,
  type JsonRow,
  readFileCopies,
} from '../state/read-file-copies.ts'
import { CLAIM_SECONDS } from '../state/state.ts'
import type { CopyRow, FileRow, FilesDb } from '../state/tables.ts'
import type { ManyRows, Writes } from '../state/writes.ts'
import { type CopyStep, type FileStep, steps } from './steps.ts'

const SAFETY_MS = 5_000
const claimEnd = sql`now() + make_interval(secs => ${CLAIM_SECONDS})`

/** `fencing_token` of a claimed row only grows; it guards every later write of whoever claimed it. */
const claimed = sql`claimed_until = ${claimEnd}, fencing_token = fencing_token + 1`

const isFree = (row: 'file' | 'copy') => {
  const until = sql.ref(`${row}.claimed_until`)
  return sql`(${until} is null or ${until} <= now())`
}

/** A file, or its copy on a network, that is to be claimed for a step. */
interface ToClaim<Step> {
  fileId: string
  network?: string
  step: Step
}

const claimedForStep = sql`${claimed}, unfinished_claims = unfinished_claims + 1`

const fileClaims: ManyRows<ToClaim<FileStep>, FileRow> = {
  key: ({ step }) => step,
  waitsWith: ({ fileId }) => fileId,
  async write(db, asked, held) {
    const { isDue, dueAt } = steps[asked[0].step]
    const { rows } = await sql<FileRow>`
      update file set ${claimedForStep} from (
        select file.id as free_id
        from (${askedRows({ asked_id: ['uuid', asked.map(({ fileId }) => fileId)] })}) as asked cross join lateral (
          select * from file where file.id = asked_id limit 1 ${holding(held)}
        ) as file
        where ${isDue} and ${dueAt} <= now() and ${isFree('file')}
      ) as free
      where file.id = free_id returning file.*`.execute(db)
    return oneEach(asked, new Map(rows.map((row) => [row.id, row])))
  },
}

/** Claims a file for one step, when that is due and nobody holds it. Null: nothing to do. */
export function claimFile(writes: Writes, fileId: string, step: FileStep): Promise<FileRow | null> {
  return writes.write(fileClaims, { fileId, step })
}

const copyClaims: ManyRows<Required<ToClaim<CopyStep>>, ClaimedCopy> = {
  key: ({ step, network }) => `${step} ${network}`,
  waitsWith: ({ fileId, network }) => `${fileId} ${network}`,
  async write(db, asked, held) {
    const [{ step, network }] = asked
    const { isDue, dueAt } = steps[step]
    const { rows } = await sql<ClaimedRows>`
      with own as (
        update copy set ${claimedForStep} from (
          select copy.file_id as free_id
          from (${askedRows({ asked_id: ['uuid', asked.map(({ fileId }) => fileId)] })}) as asked cross join lateral (
            select * from copy where copy.file_id = asked_id and copy.network = ${network} limit 1 ${holding(held)}
          ) as copy
          where ${dueAt} <= now() and ${isFree('copy')}
            and exists (select from file where file.id = copy.file_id and ${isDue})
        ) as free
        where copy.file_id = free_id and copy.network = ${network} returning copy.*
      )
      select file.*, to_jsonb(own) as own, ${copiesOfFile} as copies from own join file on file.id = own.file_id`.execute(
      db,
    )
    const taken = await Promise.all(rows.map(async (row) => [row.id, await asClaimed(db, row)] as const))
    return oneEach(asked, new Map(taken))
  },
}

/**
 * Claims a copy for one step, when that is due and nobody holds it, and reads its file and all copies with it. The
 * file's row is neither locked nor changed. Null: nothing to do.
 */
export function claimCopy(
  writes: Writes,
  { fileId, network }: Pick<CopyRow, 'fileId' | 'network'>,
  step: CopyStep,
): Promise<ClaimedCopy | null> {
  return writes.write(copyClaims, { fileId, network, step })
}

/** In the order they were asked for; of two who asked for the same row at once one has it. */
function oneEach<Row>(asked: readonly { fileId: string }[], rows: Map<string, Row>): (Row | null)[] {
  return asked.map(({ fileId }) => {
    const own = rows.get(fileId) ?? null
    rows.delete(fileId)
    return own
  })
}

type ClaimedRows = FileWithJson<{ own: JsonRow }>

async function asClaimed(
  db: Kysely<FilesDb>,
  { own, copies: before, ...file }: ClaimedRows,
): Promise<ClaimedCopy | null> {
  const copy = copyFromJson(own)
  const copies = before.map(copyFromJson)
  const read = copies.find((one) => one.network === copy.network)
  // The claim waited for whoever wrote this row, and all else that it read is from before that.
  if (read?.fencingToken !== copy.fencingToken - 1) return await withFile(db, copy)
  return { file, copy, copies: copies.map((one) => (one === read ? copy : one)) }
}

/**
 * The file and all copies of a copy that is claimed. Null: it is not the copy that it was, or the file is being purged.
 */
export async function withFile(
  db: Kysely<FilesDb>,
  { fileId, network, fencingToken, state }: CopyRow,
): Promise<ClaimedCopy | null> {
  const found = await readFileCopies(db, fileId)
  const copy = found?.copies.find((one) => one.network === network)
  const isOurs = copy?.fencingToken === fencingToken && copy.state === state
  return found && copy && isOurs ? { file: found.file, copies: found.copies, copy } : null
}

/**
 * Claims a file for work that is no step of its life (purge, clean-up), when `condition` holds and nobody holds it.
 * What the claims without an outcome of steps count stays untouched. Null: nothing to do.
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

/** What a periodic task takes up: rows for which `where` holds, by `by` those first that have been due longest. */
export interface DueRows {
  where: RawBuilder<unknown>
  by: RawBuilder<unknown>
}

/**
 * Claims up to `limit` files that are due, passing over what somebody else is at: any number of processes get different
 * ones, and none waits for another.
 */
export async function claimFiles(db: Kysely<FilesDb>, { where, by }: DueRows, limit: number): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    with batch as materialized (
      select id from file where ${where} and ${isFree('file')}
      order by ${by} limit ${limit} for update skip locked
    )
    update file set ${claimed} from batch where file.id = batch.id
    returning file.*`.execute(db)
  return rows
}

/** Claims up to `limit` copies that are due, passing over what somebody else is at. */
export async function claimCopies(db: Kysely<FilesDb>, { where, by }: DueRows, limit: number): Promise<CopyRow[]> {
  const { rows } = await sql<CopyRow>`
    with batch as materialized (
      select file_id, network from copy where ${where} and ${isFree('copy')}
      order by ${by} limit ${limit} for update skip locked
    )
    update copy set ${claimed} from batch where copy.file_id = batch.file_id and copy.network = batch.network
    returning copy.*`.execute(db)
  return rows
}

export type ClaimedRow = FileRow | CopyRow

/** Which row, as long as the claim is ours; a copy, as long as it is in the state it was claimed in. */
function isHeld(row: ClaimedRow): { table: RawBuilder<unknown>; where: RawBuilder<unknown> } {
  const token = sql`fencing_token = ${row.fencingToken}`
  return 'network' in row
    ? {
        table: sql`copy`,
        where: sql`file_id = ${row.fileId} and network = ${row.network} and state = ${row.state} and ${token}`,
      }
    : { table: sql`file`, where: sql`id = ${row.id} and ${token}` }
}

/** Gives back a claim that led to nothing. */
export async function releaseClaim(db: Kysely<FilesDb>, row: ClaimedRow): Promise<void> {
  const { table, where } = isHeld(row)
  await sql`update ${table} set claimed_until = null where ${where}`.execute(db)
}

/** Writes to a claimed row what is no change of its state, as long as it is ours. Whether it was. */
export async function writeHeld(db: Kysely<FilesDb>, row: ClaimedRow, set: RawBuilder<unknown>): Promise<boolean> {
  const { table, where } = isHeld(row)
  const { rows } = await sql`update ${table} set ${set} where ${where} returning 1`.execute(db)
  return rows.length > 0
}

/** Writes to a claimed row what is no change of its state, and ends the claim. Whether it was ours. */
export function endClaim(db: Kysely<FilesDb>, row: ClaimedRow, set: RawBuilder<unknown>): Promise<boolean> {
  return writeHeld(db, row, sql`${set}, claimed_until = null, unfinished_claims = 0`)
}

/** Ends the claim of a copy that is to be dropped since: the drop waits for whoever is at it, and need not any more. */
export async function leaveDropping(
  db: Kysely<FilesDb>,
  { fileId, network, fencingToken }: CopyRow,
  { settleSeconds }: { settleSeconds: number },
): Promise<void> {
  await sql`
    update copy set claimed_until = null, due_at = least(due_at, now() + make_interval(secs => ${settleSeconds}))
    where file_id = ${fileId} and network = ${network} and state = 'dropping' and fencing_token = ${fencingToken}`.execute(
    db,
  )
}

async function renewClaim(db: Kysely<FilesDb>, row: ClaimedRow): Promise<boolean> {
  const { table, where } = isHeld(row)
  const { rows } = await sql`
    update ${table} set claimed_until = ${claimEnd} where ${where} and claimed_until > now() returning 1`.execute(db)
  return rows.length > 0
}

/**
 * Runs work outside Postgres under a claim that was just taken, renewing it every twelfth of its life. The signal
 * given to the work aborts on the caller's, when the claim is lost, and before it could run out unrenewed.
 */
export async function underClaim<T>(
  db: Kysely<FilesDb>,
  row: ClaimedRow,
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
      const renewed = await renewClaim(db, row).catch(() => null)
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

import { holdsBytesIn } from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'

/** Files or accounts per statement. */
const FILES = 5000
const ACCOUNTS = 500
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Excludes copies of files that are being purged. */
interface BilledCopy {
  fileId: string
  network: string
  sizeBytes: number
  billedBytes: number | null
}

/** The counters in the rows, and the counted values. */
export interface MiscountedUsage {
  accountId: string
  network: string
  copiesCounted: number
  copies: number
  bytesCounted: number
  bytes: number
}

/** Reads in batches, by file. */
export async function* billedCopies(db: Kysely<FilesDb>): AsyncGenerator<BilledCopy[]> {
  for (let last: string | undefined = FIRST; last !== undefined; ) {
    const batch: { last: string | null; copies: BilledCopy[] } = await readBatch(db, last)
    yield batch.copies
    last = batch.last ?? undefined
  }
}

async function readBatch(db: Kysely<FilesDb>, after: string) {
  const { rows: ends } = await sql<{ last: string | null }>`
    select max(id::text) as last from (
      select id from file where id > ${after}::uuid order by id limit ${FILES}) as batch`.execute(db)
  const last = ends[0]?.last ?? null
  if (last === null) return { last, copies: [] }
  const { rows: copies } = await sql<BilledCopy>`
    select file_id, network, size_bytes, billed_bytes from file join copy on copy.file_id = file.id
    where file.id > ${after}::uuid and file.id <= ${last}::uuid and file.purging_at is null and ${holdsBytesIn}`.execute(
    db,
  )
  return { last, copies }
}

/** Updates rows that have not changed meanwhile to what networks bill now. Returns the number of updated rows. */
export async function rewriteBilled(
  db: Kysely<FilesDb>,
  copies: readonly (BilledCopy & { billedNow: number })[],
): Promise<number> {
  if (copies.length === 0) return 0
  const all = <T>(of: (copy: BilledCopy & { billedNow: number }) => T) => copies.map(of)
  const { rows } = await sql<{ rewritten: number }>`
    with wanted as (
      select * from unnest(${all(({ fileId }) => fileId)}::uuid[], ${all(({ network }) => network)}::text[],
        ${all(({ billedBytes }) => billedBytes)}::bigint[], ${all(({ billedNow }) => billedNow)}::bigint[])
        as wanted (file_id, network, billed_before, billed_now)
    ), kept as materialized (
      select id from file where id in (select file_id from wanted) and purging_at is null order by id for share
    ), rewritten as (
      update copy set billed_bytes = billed_now from kept join wanted on wanted.file_id = kept.id
      where copy.file_id = wanted.file_id and copy.network = wanted.network
        and copy.billed_bytes is not distinct from billed_before and ${holdsBytesIn}
      returning 1
    )
    select count(*) as rewritten from rewritten`.execute(db)
  return rows[0]?.rewritten ?? 0
}

/**
 * Yields accounts with wrong counters, by ID. With `isFixed`, corrects the counters. Compares rows and counters at one
 * point in time. One statement reads all files of 500 accounts.
 */
export async function* recountUsage(
  db: Kysely<FilesDb>,
  { isFixed }: { isFixed: boolean },
): AsyncGenerator<MiscountedUsage[]> {
  for (let after = FIRST; ; ) {
    const { rows: accounts } = await sql<{ id: string }>`
      select id from account where id > ${after}::uuid order by id limit ${ACCOUNTS}`.execute(db)
    const last = accounts.at(-1)?.id
    if (last === undefined) return
    yield await recount(
      db,
      accounts.map(({ id }) => id),
      isFixed,
    )
    after = last
  }
}

/** The trash has a separate index. */
async function recount(db: Kysely<FilesDb>, accounts: readonly string[], isFixed: boolean): Promise<MiscountedUsage[]> {
  const isOurs = sql`account_id = any(${accounts}::uuid[])`
  const correct = sql`, corrected as (
    insert into network_usage_change (account_id, network, copies, bytes)
    select account_id, network, copies - copies_counted, bytes - bytes_counted from miscounted
  )`
  const { rows } = await sql<MiscountedUsage>`
    with ours as (
      select id, account_id from file where ${isOurs} and deleted_at is null and purging_at is null
      union all select id, account_id from file where ${isOurs} and deleted_at is not null and purging_at is null
    ), every as (
      select account_id, network, 0 as copies_counted, 1 as copies, 0 as bytes_counted, billed_bytes as bytes
      from ours join copy on copy.file_id = ours.id where billed_bytes is not null
      union all select account_id, network, copies, 0, bytes, 0 from network_usage where ${isOurs}
      union all select account_id, network, copies, 0, bytes, 0 from network_usage_change where ${isOurs}
    ), miscounted as (
      select account_id, network, sum(copies_counted)::bigint as copies_counted, sum(copies)::bigint as copies,
        sum(bytes_counted)::bigint as bytes_counted, sum(bytes)::bigint as bytes
      from every group by account_id, network
      having sum(copies_counted) <> sum(copies) or sum(bytes_counted) <> sum(bytes)
    )${isFixed ? correct : sql``}
    select * from miscounted order by account_id, network`.execute(db)
  return rows
}

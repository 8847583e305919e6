import { type Kysely, sql } from 'kysely'
import { isLive } from '../state/live-file.ts'
import type { CopyRow, FileRow, FilesDb } from '../state/tables.ts'

/** Copies that one statement looks at. */
const BATCH = 5000
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export interface FailedCopyFilter {
  /** Given up for this reason only. */
  errorCode?: string | undefined
  /** Given up for so long at least. */
  olderThanSeconds?: number | undefined
}

/** Where a walk goes on. */
export interface CopyPlace {
  network: string
  fileId: string
}

export type FailedCopy = FileRow & { seenAt: Date; network: string; reason: string | null; failedAt: Date | null }

interface Candidate extends Pick<CopyRow, 'fileId' | 'state'> {}

/**
 * Copies on these networks that were given up, of files that are not in error themselves and that nobody threw away,
 * network by network. Each statement reads a bounded number of rows.
 */
export async function* failedCopies(
  db: Kysely<FilesDb>,
  networks: readonly string[],
  filter: FailedCopyFilter = {},
  after: CopyPlace | null = null,
): AsyncGenerator<FailedCopy> {
  const begin = after === null ? 0 : Math.max(0, networks.indexOf(after.network))
  for (const network of networks.slice(begin)) {
    let last: string | undefined = after?.network === network ? after.fileId : NIL_UUID
    while (last !== undefined) {
      const batch: Candidate[] = await copiesAfter(db, network, last)
      const failed = batch.flatMap(({ fileId, state }) => (state === 'failed' ? [fileId] : []))
      if (failed.length > 0) yield* await filesOf(db, network, failed, filter)
      last = batch.length === BATCH ? batch.at(-1)?.fileId : undefined
    }
  }
}

/** There is an index of a network's copies, and none of those that failed. */
async function copiesAfter(db: Kysely<FilesDb>, network: string, last: string): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select file_id, state from copy where network = ${network} and state <> 'dropped' and file_id > ${last}::uuid
    order by file_id limit ${BATCH}`.execute(db)
  return rows
}

/** The timeline tells when and why. */
async function filesOf(
  db: Kysely<FilesDb>,
  network: string,
  ids: readonly string[],
  { errorCode, olderThanSeconds = 0 }: FailedCopyFilter,
): Promise<FailedCopy[]> {
  const hasReason = errorCode === undefined ? sql`true` : sql`failure.reason = ${errorCode}`
  const { rows } = await sql<FailedCopy>`
    select file.*, now() as seen_at, ${network}::text as network, failure.reason, failure.at as failed_at
    from file left join lateral (
      select payload ->> 'reason' as reason, at from event
      where subject_id = file.id and type = 'copy.failed' and payload ->> 'network' = ${network}
      order by event.at desc, event.id desc limit 1
    ) as failure on true
    where file.id = any(${ids}::uuid[]) and status <> 'error' and ${isLive} and ${hasReason}
      and coalesce(failure.at, file.updated_at) <= now() - make_interval(secs => ${olderThanSeconds})
    order by file.id`.execute(db)
  return rows
}

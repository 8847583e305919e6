import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { withinTime } from '@tideport/service-kit/postgres/within-time'
import { type Kysely, sql } from 'kysely'

/** Longer than any search takes that leaves few files. */
const SEARCH_MS = 150

/** At most `limit` IDs of files with all of these labels; null when the search takes too long because many files match. */
export async function findLabelled(
  db: Kysely<FilesDb>,
  accountId: string,
  labels: readonly string[],
  limit: number,
): Promise<string[] | null> {
  const rows = await withinTime(db, SEARCH_MS, async (trx) => {
    const found = await sql<{ fileId: string }>`
      select file_id from file_label where account_id = ${accountId} and labels @> ${labels}::text[]
      limit ${limit}`.execute(trx)
    return found.rows
  })
  return rows?.map(({ fileId }) => fileId) ?? null
}

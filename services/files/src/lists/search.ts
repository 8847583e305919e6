import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { withinTime } from '@tideport/service-kit/postgres/within-time'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Longer than any search that finds few files. */
const SEARCH_MS = 150

/** Condition on `file`: the name contains this text, ignoring case. */
export function isNamed(text: string) {
  return sql<boolean>`strpos(folded(name), (select folded(${text}::text))) > 0`
}

/** The name index needs three consecutive letters or digits. Without them, Postgres would read the complete index. */
export function canFindNames(text: string): boolean {
  return /[\p{L}\p{N}]{3}/u.test(text)
}

/** At most `limit` IDs, from the index of names and the names not indexed yet. Null: too slow (ADR 0007). */
export async function findNames(
  db: Kysely<FilesDb>,
  accountId: string,
  text: string,
  limit: number,
): Promise<string[] | null> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  return await idsOf(
    db,
    sql`
      select file_id from file_name where account_id = ${accountId} and folded_name like folded(${pattern}::text)
      union all
      select file_id from name_to_index join file on file.id = file_id
      where name_to_index.account_id = ${accountId} and ${isNamed(text)}
      limit ${limit}`,
  )
}

/** At most `limit` IDs of files with all of these labels. Null if the search times out because many files match. */
export async function findLabelled(
  db: Kysely<FilesDb>,
  accountId: string,
  labels: readonly string[],
  limit: number,
): Promise<string[] | null> {
  return await idsOf(
    db,
    sql`
      select file_id from file_label where account_id = ${accountId} and labels @> ${labels}::text[]
      limit ${limit}`,
  )
}

async function idsOf(db: Kysely<FilesDb>, search: RawBuilder<{ fileId: string }>): Promise<string[] | null> {
  const found = await withinTime(db, SEARCH_MS, (trx) => search.execute(trx))
  return found?.rows.map(({ fileId }) => fileId) ?? null
}

import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Fewer characters make no trigram. */
const TRIGRAM = 3
/** A term that more names of an account have is frequent: walking the list in its order soon fills a page. */
const HITS_MAX = 2000

/**
 * A condition on `file`: the name contains the text, whatever the case. Rare terms are looked up in the trigram index
 * first, so that a page of them need not walk the whole list.
 */
export async function nameContains(db: Kysely<FilesDb>, accountId: string, text: string): Promise<RawBuilder<boolean>> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  const contains = sql<boolean>`name collate "und-x-icu" ilike ${pattern}`
  if ([...text].length < TRIGRAM) return contains
  const { rows } = await sql<{ fileId: string }>`
    select file_id from file_name where account_id = ${accountId} and name ilike ${pattern}
    limit ${HITS_MAX + 1}`.execute(db)
  if (rows.length > HITS_MAX) return contains
  return sql`id = any(${rows.map(({ fileId }) => fileId)}::uuid[])`
}

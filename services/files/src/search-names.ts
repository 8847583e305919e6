import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Keyset, type PageQuery, readPage } from './list-page.ts'

/** So many files of a list are looked through before the index of names is asked; a frequent term fills a page of them. */
const NEAR = 500
/** Fewer characters make no trigram. */
const TRIGRAM = 3
/** More names than these are not gathered: walking the list in its order soon fills a page. */
const HITS_MAX = 2000

/** Reads a list of files under a further condition on `file`. */
export type SelectFiles<Row> = (isNamed: RawBuilder<unknown>, keyset: Keyset) => RawBuilder<Row & { position: string }>

export interface Search {
  accountId: string
  /** A part of the name, whatever the case. */
  text: string
}

/**
 * One page of a list, of those files whose name contains a text. Looks through the near end of the list; asks the
 * trigram index, so that a rare term costs no walk; and walks only for a term that is frequent, but not near
 * (docs/adr/0014).
 */
export async function searchPage<Row extends { id: string }>(
  db: Kysely<FilesDb>,
  page: PageQuery,
  list: Record<string, unknown>,
  select: SelectFiles<Row>,
  { accountId, text }: Search,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  // As `ilike` compares; that would fold the pattern again for every name.
  const contains = sql<boolean>`${folded(sql`name`)} like (select ${folded(sql`${pattern}::text`)})`
  const read = (isNamed: RawBuilder<unknown>) => readPage(db, page, list, (keyset) => select(isNamed, keyset))
  if ([...text].length < TRIGRAM) return await read(contains)
  const near = await readPage<Row>(
    db,
    page,
    list,
    (keyset) => sql`
      select * from (${select(sql`true`, { ...keyset, limit: NEAR })}) as file
      where ${contains} order by ${keyset.orderBy} limit ${keyset.limit}`,
  )
  if (near.nextCursor !== null) return near
  const hits = await findNames(db, accountId, pattern)
  return await read(hits.length > HITS_MAX ? contains : sql`id = any(${hits}::uuid[])`)
}

/** ICU knows the case of every letter, whatever the locale of the database. */
function folded(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`lower(${text} collate "und-x-icu") collate "C"`
}

/** Ids of files; one more than are of use. */
async function findNames(db: Kysely<FilesDb>, accountId: string, pattern: string): Promise<string[]> {
  const { rows } = await sql<{ fileId: string }>`
    select file_id from file_name where account_id = ${accountId} and name ilike ${pattern}
    limit ${HITS_MAX + 1}`.execute(db)
  return rows.map(({ fileId }) => fileId)
}

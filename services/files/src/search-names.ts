import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Keyset, type PageQuery, readPage } from './list-page.ts'
import { merged, type SelectFiles } from './select-files.ts'

/** So many files of a list are looked through before the index of names is asked; a frequent term fills a page of them. */
const NEAR = 500
/** Fewer characters make no trigram. */
const TRIGRAM = 3
/** More names than these are not gathered: walking the list in its order soon fills a page. */
const HITS_MAX = 2000

export interface Search {
  accountId: string
  /** A part of the name, whatever the case. */
  text: string
  /** Whether the list has no other condition. */
  isOnly: boolean
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
  { accountId, text, isOnly }: Search,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  // As `ilike` compares; that would fold the pattern again for every name.
  const contains = sql<boolean>`${folded(sql`name`)} like (select ${folded(sql`${pattern}::text`)})`
  const walk = (keyset: Keyset) =>
    isOnly && page.sortBy === 'name' ? walkByName(accountId, contains, select, keyset) : select(contains, keyset)
  if ([...text].length < TRIGRAM) return await readPage(db, page, list, walk)
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
  if (hits.length > HITS_MAX) return await readPage(db, page, list, walk)
  return await readPage(db, page, list, (keyset) => select(sql`id = any(${hits}::uuid[])`, keyset))
}

/**
 * Rows in the order of their names lie all over the table, so names are taken from the index and only rows of the right
 * ones are read. The inner limit, which no list reaches, keeps Postgres from filtering and sorting the whole table instead.
 */
function walkByName<Row>(
  accountId: string,
  contains: RawBuilder<boolean>,
  select: SelectFiles<Row>,
  keyset: Keyset,
): RawBuilder<Row & { position: string }> {
  const { isNext, orderBy, limit } = keyset
  const all = { orderBy, limit: 2 ** 31 - 1 }
  const namesOf = (which: RawBuilder<unknown>) => sql`
    select id, name from file where account_id = ${accountId} and ${which} and ${isNext}
    order by ${orderBy} limit ${sql.lit(all.limit)}`
  // Each of them has an index of its own.
  const named = merged(
    all,
    namesOf(sql`deleted_at is null and purging_at is null`),
    namesOf(sql`deleted_at is not null`),
  )
  return sql`
    select file.* from (${named}) as named
    join lateral (${select(sql`id = named.id`, { ...keyset, isNext: sql`true`, limit: 1 })}) as file using (id, name)
    where ${contains} order by ${orderBy} limit ${limit}`
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

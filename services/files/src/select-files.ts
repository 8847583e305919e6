import { isLive } from '@tideport/file-lifecycle/claim'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { TrashedRow } from './find-trash.ts'
import type { Keyset } from './list-page.ts'

/** One page of files that meet a further condition, which names the columns of `file` unqualified. */
export type SelectFiles<Row> = (
  condition: RawBuilder<unknown>,
  keyset: Keyset,
) => RawBuilder<Row & { position: string }>

/** The account's files that nobody threw away. */
export async function liveFiles(db: Kysely<FilesDb>, accountId: string): Promise<SelectFiles<FileRow>> {
  const { rows: trashedVaults } = await sql`
    select from vault where account_id = ${accountId} and deleted_at is not null limit 1`.execute(db)
  const isInVault = sql`deleted_at is null`
  return (condition, keyset) => {
    // Files of a vault in the trash, a million perhaps, would all have to be passed on the way to the others.
    if (trashedVaults.length > 0) return merged(keyset, ofEachVault(accountId, isInVault, condition, keyset))
    const { position, isNext, orderBy, limit } = keyset
    return sql`
      select *, ${position} as position from file
      where account_id = ${accountId} and ${isLive} and ${condition} and ${isNext}
      order by ${orderBy} limit ${limit}`
  }
}

/** The account's files in the trash: those thrown away by themselves, and those of vaults that were. */
export function trashedFiles(accountId: string): SelectFiles<TrashedRow> {
  const isTrashed = sql`deleted_at is not null and purging_at is null`
  return (condition, keyset) => {
    const { position, isNext, orderBy, limit } = keyset
    const byThemselves = sql`
      select *, ${position} as position, deleted_at as trashed_at, purge_due_at as restorable_until from file
      where account_id = ${accountId} and ${isTrashed} and ${condition} and ${isNext}
        and (select vault.purging_at is null from vault where vault.id = file.vault_id)
      order by ${orderBy} limit ${limit}`
    const confirmed = sql`status <> 'uploading' and ${condition}`
    return merged(keyset, byThemselves, ofEachVault(accountId, isTrashed, confirmed, keyset))
  }
}

/** A page of each vault, read by the index of its files: those of other vaults are not in the way. */
function ofEachVault(
  accountId: string,
  which: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
  { position, isNext, orderBy, limit }: Keyset,
): RawBuilder<unknown> {
  return sql`
    select file.*, trashed_at, restorable_until from (
      select id as of_vault, deleted_at as trashed_at, purge_due_at as restorable_until
      from vault where account_id = ${accountId} and ${which}) as vault
    cross join lateral (
      select *, ${position} as position from file
      where vault_id = of_vault and deleted_at is null and purging_at is null and ${condition} and ${isNext}
      order by ${orderBy} limit ${limit}) as file`
}

/** One page of several selections, each of which is in its order already. */
export function merged<Row>(
  { orderBy, limit }: Pick<Keyset, 'orderBy' | 'limit'>,
  ...pages: RawBuilder<unknown>[]
): RawBuilder<Row> {
  const all = sql.join(
    pages.map((page) => sql`(${page})`),
    sql` union all `,
  )
  return sql`select * from (${all}) as file order by ${orderBy} limit ${limit}`
}

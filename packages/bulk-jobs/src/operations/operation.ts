import type { FileFailure } from '@tideport/contracts/public/many-files'
import { askedRows } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Files of a vault by ID whose paths begin with one of `prefixes`. Null: any path. */
export interface Chosen {
  accountId: string
  vaultId: string
  ids: readonly string[]
  prefixes: readonly string[] | null
}

/** The reasons why files were not changed, by ID. All other files were changed, or already have the requested state. */
export type Failures = Map<string, FileFailure>

/** A change to many files. */
export interface Operation {
  /**
   * Runs in one transaction. Throws an `isCrossed` error when another request was faster; then the caller applies the
   * operation to each file separately.
   */
  apply(trx: Kysely<FilesDb>, chosen: Chosen): Promise<Failures>
}

/**
 * A part of a statement: selects `(id, more…)` of the chosen files that match `where`, and locks them in the order of
 * their IDs.
 */
export function holdChosen(chosen: Chosen, where: RawBuilder<unknown>, more = sql``): RawBuilder<unknown> {
  return sql`
    select file.id${more} from (
      select * from (${askedRows({ asked_id: ['uuid', chosen.ids] })}) as asked order by asked_id
    ) as asked cross join lateral (
      select * from file where file.id = asked_id limit 1 for no key update
    ) as file where ${isChosen(chosen)} and ${where}`
}

/** Condition on `file`: the file still matches `Chosen`. */
function isChosen({ accountId, vaultId, prefixes }: Chosen): RawBuilder<unknown> {
  return sql`account_id = ${accountId} and vault_id = ${vaultId} and purging_at is null and ${isBelowAny(prefixes)}`
}

/** Condition on `file`: its path begins with one of these. */
export function isBelowAny(prefixes: readonly string[] | null): RawBuilder<unknown> {
  return prefixes === null ? sql`true` : sql`path ^@ any(${prefixes}::text[])`
}

/** The current rows of the chosen files that match `where`. */
export async function readChosen(
  db: Kysely<FilesDb>,
  chosen: Chosen,
  where: RawBuilder<unknown>,
): Promise<Map<string, FileRow>> {
  const { rows } = await sql<FileRow>`
    select file.* from (${askedRows({ asked_id: ['uuid', chosen.ids] })}) as asked cross join lateral (
      select * from file where file.id = asked_id limit 1
    ) as file where ${isChosen(chosen)} and ${where}`.execute(db)
  return new Map(rows.map((file) => [file.id, file]))
}

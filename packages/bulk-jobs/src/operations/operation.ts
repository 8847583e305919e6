import type { FileFailure } from '@tideport/contracts/public/many-files'
import { askedRows } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Files of a vault by their ids, as long as their paths begin with one of `prefixes`; null: wherever they are. */
export interface Chosen {
  accountId: string
  vaultId: string
  ids: readonly string[]
  prefixes: readonly string[] | null
}

/** Why files were left as they were, by their ids; all others were changed, or are already as they should be. */
export type Failures = Map<string, FileFailure>

/** What is done to many files. */
export interface Operation {
  /** In one transaction. Throws what `isCrossed` says when somebody else was quicker: then each file is to be tried alone. */
  apply(trx: Kysely<FilesDb>, chosen: Chosen): Promise<Failures>
}

/** `(id, more…)` of the chosen files for which `where` holds, as a part of a statement: held, in the order of their ids. */
export function holdChosen(chosen: Chosen, where: RawBuilder<unknown>, more = sql``): RawBuilder<unknown> {
  return sql`
    select file.id${more} from (
      select * from (${askedRows({ asked_id: ['uuid', chosen.ids] })}) as asked order by asked_id
    ) as asked cross join lateral (
      select * from file where file.id = asked_id limit 1 for no key update
    ) as file where ${isChosen(chosen)} and ${where}`
}

/** Condition on `file`: it is where it was chosen. */
function isChosen({ accountId, vaultId, prefixes }: Chosen): RawBuilder<unknown> {
  return sql`account_id = ${accountId} and vault_id = ${vaultId} and purging_at is null and ${isBelowAny(prefixes)}`
}

/** Condition on `file`: its path begins with one of these. */
export function isBelowAny(prefixes: readonly string[] | null): RawBuilder<unknown> {
  return prefixes === null ? sql`true` : sql`path ^@ any(${prefixes}::text[])`
}

/** The chosen files for which `where` holds, as they are now. */
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

import { postgresWaitMs } from '@tideport/contracts/internal/postgres-wait'
import { asSeenCopies, copiesOfFile, type FileWithJson } from '@tideport/file-lifecycle/state/read-file-copies'
import type { CopyRow, FileRow, FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { withWaitBudget } from '@tideport/service-kit/context/request-context'
import { WaitBudget } from '@tideport/service-kit/context/wait-budget'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Rows of one statement, between which nothing is held. */
const BATCH = 200

/** A file with its copies, and whether it stands for its path. */
export interface WalkedFile {
  file: FileRow
  copies: readonly CopyRow[]
  isLatest: boolean
}

/** The account's vaults that are not in the trash, in the order of creation, however many. */
export async function* walkVaults(db: Kysely<FilesDb>, accountId: string): AsyncGenerator<VaultRow> {
  const which = sql`account_id = ${accountId} and deleted_at is null`
  yield* walk((after) =>
    sql<Placed<VaultRow>>`
      select *, ${at} from vault where ${which} and ${after} order by vault.created_at, id limit ${BATCH}`.execute(db),
  )
}

/**
 * The account's confirmed files in these vaults, but for the trash, in the order of creation; those that were made since
 * the walk began come last or not at all.
 */
export async function* walkFilesOf(
  db: Kysely<FilesDb>,
  accountId: string,
  vaultIds: ReadonlySet<string>,
): AsyncGenerator<WalkedFile> {
  const which = sql`account_id = ${accountId} and deleted_at is null and purging_at is null`
  const last = sql`(select last.id from file as last where last.vault_id = file.vault_id and last.path = file.path
    and last.status <> 'uploading' and last.deleted_at is null and last.purging_at is null
    order by coalesce(last.place_id, last.id) desc limit 1)`
  const files = walk((after) =>
    sql<Placed<FileWithJson<{ seenAt: Date; isLatest: boolean }>>>`
      select *, now() as seen_at, ${copiesOfFile} as copies, id = ${last} as is_latest from (
        select *, ${at} from file where ${which} and ${after} order by file.created_at, id limit ${BATCH}
      ) as file order by file.created_at, id`.execute(db),
  )
  for await (const { isLatest, ...row } of files) {
    if (row.status === 'uploading' || !vaultIds.has(row.vaultId)) continue
    yield { ...asSeenCopies(row), isLatest }
  }
}

type Placed<Row> = Row & { id: string; at: string }

/** With microseconds, unlike a date of ours. */
const at = sql`created_at::text as at`

async function* walk<Row>(read: (after: RawBuilder<unknown>) => Promise<{ rows: Placed<Row>[] }>): AsyncGenerator<Row> {
  let after = sql`true`
  for (;;) {
    // However long the whole takes, a database that is down is told as soon as anywhere.
    const { rows } = await withWaitBudget(new WaitBudget(postgresWaitMs), () => read(after))
    for (const { at: _, ...row } of rows) yield row as Row
    const end = rows.at(-1)
    if (end === undefined || rows.length < BATCH) return
    after = sql`(created_at, id) > (${end.at}::timestamptz, ${end.id}::uuid)`
  }
}

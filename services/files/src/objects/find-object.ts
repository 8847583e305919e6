import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { standingFor } from '@tideport/file-lifecycle/state/take-path'
import { type Kysely, sql } from 'kysely'
import type { OwnVault } from '../lookups/authorized-vault.ts'

/** The file that represents a key, and the database's `now()`. Null: none. */
export async function findObject(
  db: Kysely<FilesDb>,
  vault: OwnVault,
  key: string,
): Promise<(FileRow & { seenAt: Date }) | null> {
  const { rows } = await sql<FileRow & { seenAt: Date }>`
    select file.*, now() as seen_at from (${standingFor(sql`${vault.id}::uuid`, sql`${key}::text`)}) as file`.execute(
    db,
  )
  return rows[0] ?? null
}

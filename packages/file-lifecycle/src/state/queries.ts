import { type Kysely, sql } from 'kysely'
import type { FileRow, FilesDb } from './tables.ts'

/** The row as it is now, whoever owns it. For processes that decide anew after a guard failed. */
export async function reloadFile(db: Kysely<FilesDb>, fileId: string): Promise<FileRow | null> {
  return (await db.selectFrom('file').selectAll().where('id', '=', fileId).executeTakeFirst()) ?? null
}

/** Whether neither the file nor its vault was thrown away. */
export async function isFileLive(db: Kysely<FilesDb>, fileId: string): Promise<boolean> {
  return (await sql`select from file where id = ${fileId} and ${isLive}`.execute(db)).rows.length > 0
}

/**
 * Repeats a guarded write on the row as it is now, until it holds. Null: `mayStill` says that there is nothing left to
 * write, or the same version is refused again, such as when its vault was thrown away.
 */
export async function untilGuarded<Written>(
  db: Kysely<FilesDb>,
  file: FileRow,
  write: (current: FileRow) => Promise<Written | null>,
  mayStill: (current: FileRow) => boolean,
): Promise<Written | null> {
  for (let current = file; ; ) {
    const written = await write(current)
    if (written) return written
    const again = await reloadFile(db, file.id)
    if (again === null || again.version === current.version || !mayStill(again)) return null
    current = again
  }
}

/** So often others may be quicker at a path; then it is given up, for now. */
const TAKINGS_MAX = 100

/**
 * The same for a write that takes a path (`takingPaths`), which may be overtaken there though its row does not change.
 * Null: `mayStill` says that it is over, or others were quicker again and again.
 */
export async function untilTaken<Written>(
  db: Kysely<FilesDb>,
  file: FileRow,
  write: (current: FileRow) => Promise<Written | null>,
  mayStill: (current: FileRow) => Promise<boolean>,
): Promise<Written | null> {
  let current = file
  for (let taking = 0; taking < TAKINGS_MAX; taking += 1) {
    const written = await write(current)
    if (written) return written
    const again = await reloadFile(db, file.id)
    if (again === null || !(await mayStill(again))) return null
    current = again
  }
  return null
}

/**
 * A file that nobody threw away, neither itself nor its vault. The vault is looked up for each row: as `not exists` it
 * would be a join, of which Postgres thinks that hardly a row is left while vaults are few, and it would read and sort
 * all files for one page of them.
 */
export const isLive = sql`purging_at is null and deleted_at is null
  and (select vault.deleted_at is null from vault where vault.id = file.vault_id)`

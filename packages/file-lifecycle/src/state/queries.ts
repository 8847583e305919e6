import type { Kysely } from 'kysely'
import type { FileRow, FilesDb } from './tables.ts'

/** The row as it is now, whoever owns it. For processes that decide anew after a guard failed. */
export async function reloadFile(db: Kysely<FilesDb>, fileId: string): Promise<FileRow | null> {
  return (await db.selectFrom('file').selectAll().where('id', '=', fileId).executeTakeFirst()) ?? null
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

import type { Kysely } from 'kysely'
import type { FileRow, FilesDb } from './tables.ts'

/** The row as it is now, whoever owns it. For processes that decide anew after a guard failed. */
export async function reloadFile(db: Kysely<FilesDb>, fileId: string): Promise<FileRow | null> {
  return (await db.selectFrom('file').selectAll().where('id', '=', fileId).executeTakeFirst()) ?? null
}

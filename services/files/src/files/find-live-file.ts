import { isLive } from '@tideport/file-lifecycle/state/live-file'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'

/** A file with the database's `now()` of the very moment its row was read: URLs for it are signed as of then. */
export type FileSeen = FileRow & { seenAt: Date }

/** A file of this account that nobody threw away. Null for somebody else's too. */
export async function findOwnFile(db: Kysely<FilesDb>, accountId: string, fileId: string): Promise<FileSeen | null> {
  return (await selectLive(db, fileId).where('accountId', '=', accountId).executeTakeFirst()) ?? null
}

/** A file that nobody threw away, whoever owns it; for callers who have proved that they may read it. */
export async function findLiveFile(db: Kysely<FilesDb>, fileId: string): Promise<FileSeen | null> {
  return (await selectLive(db, fileId).executeTakeFirst()) ?? null
}

function selectLive(db: Kysely<FilesDb>, fileId: string) {
  return db
    .selectFrom('file')
    .selectAll('file')
    .select(sql<Date>`now()`.as('seenAt'))
    .where('id', '=', fileId)
    .where(sql<boolean>`${isLive}`)
}

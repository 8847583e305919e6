import { forgetEvents } from '@tideport/file-lifecycle/purge-file'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { type Kysely, sql } from 'kysely'

/** Removes idempotency keys after their 24 hours, and events that had to outlive their file. */
export async function forgetOld({ db }: { db: Kysely<FilesDb> }): Promise<void> {
  await sql`delete from idempotency_key where created_at <= now() - interval '24 hours'`.execute(db)
  await forgetEvents(db)
}

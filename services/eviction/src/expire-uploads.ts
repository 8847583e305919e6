import { purgeExpired } from '@tideport/file-lifecycle/purge'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { type Kysely, sql } from 'kysely'
import { drain } from './drain.ts'

export interface PurgeClockDeps {
  db: Kysely<FilesDb>
  settleSeconds: number
}

/** Begins the purge of uploads that nobody confirmed in time. One that is being confirmed is that clock's to end. */
export async function expireUploads({ db, settleSeconds }: PurgeClockDeps, signal: AbortSignal): Promise<void> {
  const due = (limit: number) => sql<{ id: string }>`
    select id from file
    where status = 'uploading' and upload_expires_at <= now() and completing_at is null and purging_at is null
    order by upload_expires_at limit ${limit}`
  await drain(db, signal, due, (fileId) => purgeExpired(db, fileId, { settleSeconds }))
}

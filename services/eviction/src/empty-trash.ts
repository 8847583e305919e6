import { purgeOutdated } from '@tideport/file-lifecycle/purge'
import { purgeVault } from '@tideport/file-lifecycle/trash-vault'
import { sql } from 'kysely'
import { drain } from './drain.ts'
import type { PurgeClockDeps } from './expire-uploads.ts'

/** Begins the purge of files whose time in the trash is over, and sees to vaults whose time is. */
export async function emptyTrash({ db, settleSeconds }: PurgeClockDeps, signal: AbortSignal): Promise<void> {
  const dueFiles = (limit: number) => sql<{ id: string }>`
    select id from file
    where purge_due_at <= now() and deleted_at is not null and purging_at is null
    order by purge_due_at limit ${limit}`
  await drain(db, signal, dueFiles, (fileId) => purgeOutdated(db, fileId, { settleSeconds }))

  const dueVaults = (limit: number) => sql<{ id: string }>`
    select id from vault where purge_due_at <= now() order by purge_due_at limit ${limit}`
  await drain(db, signal, dueVaults, (vaultId) => purgeVault(db, vaultId, { settleSeconds }))
}

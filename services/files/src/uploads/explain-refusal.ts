import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { AppError, notFound, unavailable } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { findLiveVault } from '../vaults/find-live-vault.ts'

const OPEN_UPLOADS_RETRY_SECONDS = 30

interface Refused {
  accountId: string
  vaultId: string
  sizeBytes: number
}

/** Why an upload was not created: read again, because the one statement that refused it says only that it did. */
export async function explainRefusal(
  db: Kysely<FilesDb>,
  { accountId, vaultId, sizeBytes }: Refused,
  { quotaBytes, openUploadsMax }: { quotaBytes: number; openUploadsMax: number },
): Promise<AppError> {
  if ((await findLiveVault(db, accountId, vaultId)) === null) return notFound()
  const account = await db.selectFrom('account').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow()
  if (account.openUploads >= openUploadsMax) {
    return new AppError('too_many_open_uploads', 'Too many uploads are open; confirm some first', {
      details: { openUploadsMax },
      retryAfterSeconds: OPEN_UPLOADS_RETRY_SECONDS,
    })
  }
  if (quotaBytes > 0 && account.storageBytes + sizeBytes > quotaBytes) {
    return new AppError('quota_exceeded', 'The file does not fit into the quota of the account', {
      details: { quotaBytes, storageBytes: account.storageBytes },
    })
  }
  // What stood in the way a moment ago has gone.
  return unavailable()
}

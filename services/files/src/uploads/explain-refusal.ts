import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { InputPart } from '@tideport/service-kit/http/invalid-input'
import { AppError, notFound, unavailable } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { findLiveVault } from '../lookups/seen-vault.ts'
import { checkEncryption, type Fields } from './encryption-fields.ts'
import type { UploadLimits } from './upload-limits.ts'

const OPEN_UPLOADS_RETRY_SECONDS = 30

/** What a refusal may be about, and where it was sent. */
type Asked = Fields & { vaultId: string; sizeBytes: number; partSizeBytes?: number | null | undefined; part: InputPart }

/** Whether no account and no vault would take it. */
export function isTooLarge({ sizeBytes, partSizeBytes }: Omit<Asked, 'part'>, { largest }: UploadLimits): boolean {
  return sizeBytes > largest.file || Math.min(partSizeBytes ?? sizeBytes, sizeBytes) > largest.put
}

/**
 * Why an upload was not created, or cannot be: looked up only then, because the one statement that refuses it says only
 * that it did. Throws 400 that names the fields at fault.
 */
export async function explainRefusal(
  db: Kysely<FilesDb>,
  accountId: string,
  asked: Asked,
  limits: UploadLimits,
): Promise<AppError> {
  // What stood in the way a moment ago may have gone.
  return (await findFault(db, accountId, asked, limits)) ?? unavailable()
}

/** The same beforehand. Null: nothing stands in the way now. */
export async function findFault(
  db: Kysely<FilesDb>,
  accountId: string,
  asked: Asked,
  limits: UploadLimits,
): Promise<AppError | null> {
  const { sizeBytes, vaultId, part } = asked
  const { quotaBytes, openUploadsMax } = limits
  const vault = await findLiveVault(db, accountId, vaultId)
  if (vault === null) return notFound()
  if (vault.isExport) return new AppError('state_conflict', 'The vault of an export holds its files alone')
  checkEncryption(asked, vault.visibility, part)
  if (isTooLarge(asked, limits)) return tooLarge(asked, limits)
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
  return null
}

/** A part is a PUT like any other. */
function tooLarge({ sizeBytes, partSizeBytes }: Omit<Asked, 'part'>, { largest }: UploadLimits): AppError {
  const maxSizeBytes = partSizeBytes == null ? Math.min(largest.file, largest.put) : largest.file
  if (sizeBytes > maxSizeBytes) return new AppError('too_large', 'The file is too large', { details: { maxSizeBytes } })
  return new AppError('too_large', 'The parts are too large', { details: { maxPartSizeBytes: largest.put } })
}

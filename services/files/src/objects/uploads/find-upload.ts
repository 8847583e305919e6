import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { validate as isUuid } from 'uuid'
import { getBucket, missing } from '../../buckets/find-bucket.ts'
import { isOpenTo } from '../../calls/enforce-key-limits.ts'
import { isIn, type OwnVault } from '../../lookups/authorized-vault.ts'
import { assertKeyWithin } from '../key-limits.ts'

interface Named {
  principal: AccountPrincipal
  params: { slug: string; uploadId: string }
  query: { key: string }
}

/** An upload in parts of a key that the caller may see, also once it is a file. Throws 404. */
export async function getUpload(
  db: Kysely<FilesDb>,
  { principal, params: { slug, uploadId }, query: { key } }: Named,
): Promise<{ vault: OwnVault; upload: FileRow }> {
  const vault = await getBucket(db, principal, slug)
  assertKeyWithin(principal, key, 'write')
  const upload = isUuid(uploadId) ? await find(db, vault, uploadId) : undefined
  if (upload?.key !== key || !isOpenTo(principal, upload)) throw missing('upload')
  return { vault, upload }
}

/** The same, unless it is a file already. */
export async function getOpenUpload(db: Kysely<FilesDb>, named: Named): Promise<{ vault: OwnVault; upload: FileRow }> {
  const found = await getUpload(db, named)
  if (found.upload.status !== 'uploading') throw missing('upload')
  return found
}

async function find(db: Kysely<FilesDb>, vault: OwnVault, uploadId: string): Promise<FileRow | undefined> {
  return await db
    .selectFrom('file')
    .selectAll()
    .where('id', '=', uploadId)
    .where(isIn(vault))
    .where('uploadForm', '=', 'open')
    .where('deletedAt', 'is', null)
    .where('purgingAt', 'is', null)
    .executeTakeFirst()
}

/** Why an upload accepts no parts. */
export async function closedError(db: Kysely<FilesDb>, { id }: FileRow): Promise<AppError> {
  const file = await db.selectFrom('file').select(['completingAt', 'purgingAt']).where('id', '=', id).executeTakeFirst()
  if (file === undefined || file.completingAt === null || file.purgingAt !== null) return missing('upload')
  const sentence = 'The upload is being completed. Try again later.'
  return new AppError('upload_in_progress', sentence, { details: { fileId: id }, retryAfterSeconds: 2 })
}

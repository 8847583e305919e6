import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { alone, type Writes } from '@tideport/file-lifecycle/state/writes'
import { createUpload, type NewUpload } from '@tideport/file-lifecycle/upload/create-upload'
import type { InputPart } from '@tideport/service-kit/http/invalid-input'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { findMadeBefore } from '../calls/confine.ts'
import { createOnce } from '../calls/idempotency.ts'
import type { TakeBytes } from '../calls/take-bytes.ts'
import { checkEnd, placeOf } from '../files/file-fields.ts'
import type { Content } from './read-body.ts'
import { explainRefusal, type UploadLimits } from './refusal.ts'

/** Until an upload in one call expires whose process died. */
const EXPIRY_SECONDS = 300
/** Longer than a PUT of this process takes. */
const PUT_SECONDS = 60

type Assembled = 'id' | 'isIdGiven' | 'folder' | 'name' | 'quotaBytes' | 'openUploadsMax'

type Wanted = Omit<NewUpload, Assembled> & {
  path: string
  /** The ID that the client chose. */
  id?: string | null | undefined
}

/** The upload of a new file, within the limits of its account. */
export function newUpload({ path, id, ...wanted }: Wanted, { quotaBytes, openUploadsMax }: UploadLimits): NewUpload {
  return { ...wanted, ...placeOf(path), id: id ?? uuidv7(), isIdGiven: id != null, quotaBytes, openUploadsMax }
}

/** What follows from bytes that this process has read and stores itself. */
export function madeOf({ sizeBytes, sha256 }: Content, { settleSeconds }: { settleSeconds: number }) {
  const lives = { expirySeconds: EXPIRY_SECONDS, settledAfterSeconds: PUT_SECONDS + settleSeconds }
  return { form: 'direct' as const, sizeBytes, sha256, checksumDeclared: sha256, ...lives }
}

export interface CreateDeps {
  db: Kysely<FilesDb>
  writes: Writes
  takeBytes: TakeBytes
  limits: UploadLimits
}

/** The request that asks for an upload. */
interface Asking {
  principal: AccountPrincipal
  /** Its idempotency key. */
  key: string | undefined
  operation: string
  /** What has to be the same when the key comes again. */
  body: object
  /** Where the fields of the upload were sent. */
  part: InputPart
}

/**
 * Creates an upload, or finds the one that the same request created before. Throws 404 when that is out of the caller's
 * sight, what `createOnce` throws, 429 when the key's budget is spent, and why the upload is refused.
 */
export async function createOrFind(
  { db, writes, takeBytes, limits }: CreateDeps,
  upload: NewUpload,
  { principal, key, operation, body, part }: Asking,
): Promise<{ upload: FileRow; isNew: boolean }> {
  const { id, isIdGiven = false, accountId, vaultId, sizeBytes, partSizeBytes, encryption, expiresAt } = upload
  // Without a key one statement does it all; a transaction around it would cost every upload two more round trips.
  const outcome =
    key === undefined && !isIdGiven
      ? { created: await takeBytes(principal, sizeBytes).then(() => createUpload(writes, upload)) }
      : await createOnce(db, { accountId, key, operation, body, resourceId: id, isIdGiven, vaultId }, async (trx) => {
          checkEnd(expiresAt, part)
          await takeBytes(principal, sizeBytes, trx)
          return await createUpload(alone(trx), upload)
        })
  if ('createdBefore' in outcome) {
    const found = await findMadeBefore(db, principal, outcome.createdBefore)
    if (found === null) throw notFound()
    return { upload: found, isNew: false }
  }
  if (outcome.created) return { upload: outcome.created, isNew: true }
  throw await explainRefusal(db, accountId, { ...encryption, vaultId, sizeBytes, partSizeBytes, part }, limits)
}

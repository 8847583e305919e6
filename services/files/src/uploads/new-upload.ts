import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { requestUpload } from '@tideport/contracts/public/files'
import type { Visibility } from '@tideport/contracts/public/vaults'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { alone, type Writes } from '@tideport/file-lifecycle/state/writes'
import { createUpload, type NewUpload } from '@tideport/file-lifecycle/upload/create-upload'
import { type InputPart, invalidInput } from '@tideport/service-kit/http/invalid-input'
import { AppError, notFound, unavailable } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { z } from 'zod'
import { findMadeBefore } from '../calls/confine.ts'
import { createOnce } from '../calls/idempotency.ts'
import type { TakeBytes } from '../calls/take-bytes.ts'
import type { FilesConfig } from '../config.ts'
import { checkEnd, placeOf } from '../files/file-fields.ts'
import { findLiveVault } from '../lookups/seen-vault.ts'
import type { Content } from './read-body.ts'

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

const OPEN_UPLOADS_RETRY_SECONDS = 30

export interface UploadLimits {
  /** Of a whole file, and of what one PUT takes. */
  largest: { file: number; put: number }
  quotaBytes: number
  openUploadsMax: number
}

/** What one of the networks does not take would never be complete. */
export function uploadLimits(
  networks: Networks,
  config: Pick<FilesConfig, 'maxFileBytes' | 'maxPutBytes' | 'accountQuotaBytes' | 'openUploadsMax'>,
): UploadLimits {
  const taken = networks.required.map((name) => networks.get(name)?.maxBlobBytes ?? Number.POSITIVE_INFINITY)
  const largest = { file: Math.min(config.maxFileBytes, ...taken), put: config.maxPutBytes }
  return { largest, quotaBytes: config.accountQuotaBytes, openUploadsMax: config.openUploadsMax }
}

const fields = ['wrappedKey', 'encryptionIv', 'plaintextSizeBytes', 'plaintextChecksumSha256'] as const

type Fields = Pick<z.output<typeof requestUpload.body>, (typeof fields)[number]>

/**
 * What a client tells of its encryption: all four fields, or none (null). Undefined: some of them, which no vault
 * takes.
 */
export function encryptionIn(body: Fields): NewUpload['encryption'] | undefined {
  const given = fields.filter((path) => body[path] != null)
  if (given.length === 0) return null
  return given.length === fields.length ? (body as NonNullable<NewUpload['encryption']>) : undefined
}

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

/**
 * All four in a private vault, none in a public one (docs/api.md §3). They are opaque here and kept exactly as sent.
 * Throws 400 that names every field at fault.
 */
function checkEncryption(body: Fields, visibility: Visibility, part: InputPart): void {
  const isPrivate = visibility === 'private'
  const message = isPrivate ? 'Is required in a private vault' : 'Must not be sent for a public vault'
  const issues = fields.filter((path) => (body[path] == null) === isPrivate).map((path) => ({ path, message }))
  if (issues.length > 0) throw invalidInput(part, issues)
}

/** A part is a PUT like any other. */
function tooLarge({ sizeBytes, partSizeBytes }: Omit<Asked, 'part'>, { largest }: UploadLimits): AppError {
  const maxSizeBytes = partSizeBytes == null ? Math.min(largest.file, largest.put) : largest.file
  if (sizeBytes > maxSizeBytes) return new AppError('too_large', 'The file is too large', { details: { maxSizeBytes } })
  return new AppError('too_large', 'The parts are too large', { details: { maxPartSizeBytes: largest.put } })
}

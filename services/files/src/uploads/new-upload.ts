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
import { findMadeBefore } from '../calls/enforce-key-limits.ts'
import { createOnce } from '../calls/idempotency.ts'
import type { TakeBytes } from '../calls/key-byte-quota.ts'
import type { FilesConfig } from '../config.ts'
import { type Conditions, pinned } from '../files/conditions.ts'
import { checkEnd, placeOf } from '../files/file-fields.ts'
import { findLiveVault } from '../lookups/authorized-vault.ts'
import type { Content } from './read-body.ts'

/** Seconds after which a one-request upload expires if its process has crashed. */
const EXPIRY_SECONDS = 300
/** Longer than a PUT of this process takes. */
const PUT_SECONDS = 60

type Assembled = 'id' | 'isIdGiven' | 'folder' | 'name' | 'quotaBytes' | 'openUploadsMax'

type Wanted = Omit<NewUpload, Assembled> & {
  path: string
  /** Chosen by the client. */
  id?: string | null | undefined
}

export function newUpload({ path, id, ...wanted }: Wanted, { quotaBytes, openUploadsMax }: UploadLimits): NewUpload {
  return { ...wanted, ...placeOf(path), id: id ?? uuidv7(), isIdGiven: id != null, quotaBytes, openUploadsMax }
}

/** For bytes that this process has read and stores itself. */
export function madeOf({ sizeBytes, sha256, digests }: Content, { settleSeconds }: { settleSeconds: number }) {
  const lives = { expirySeconds: EXPIRY_SECONDS, settledAfterSeconds: PUT_SECONDS + settleSeconds }
  return { form: 'direct' as const, sizeBytes, sha256, digests, checksumDeclared: sha256, ...lives }
}

export interface CreateDeps {
  db: Kysely<FilesDb>
  writes: Writes
  takeBytes: TakeBytes
  limits: UploadLimits
}

interface Asking {
  principal: AccountPrincipal
  /** The idempotency key. */
  key: string | undefined
  operation: string
  /** A repeated request with the same key must match these fields. */
  body: object
  /** The part of the request that contained the fields. */
  part: InputPart
  /** Of the file at the path. */
  conditions: Conditions | null
}

/**
 * Creates an upload, or finds that of an earlier equal request. Throws 404 for one that the caller may not see, 412 for
 * unmet conditions, 429 for a spent budget, the errors of `createOnce`, and the reason of a refusal.
 */
export async function createOrFind(
  { db, writes, takeBytes, limits }: CreateDeps,
  upload: NewUpload,
  { principal, key, operation, body: fields, part, conditions }: Asking,
): Promise<{ upload: FileRow; isNew: boolean }> {
  const { id, isIdGiven = false, accountId, vaultId, sizeBytes, partSizeBytes, encryption, expiresAt } = upload
  const pin = (on: Kysely<FilesDb>) => pinned(on, upload, { principal, conditions })
  const body = conditions === null ? fields : { ...fields, conditions }
  const createAlone = async () => {
    const made = await pin(db)
    await takeBytes(principal, sizeBytes)
    return await createUpload(writes, made)
  }
  // Without a key, one statement is enough and saves two round trips of a transaction.
  const outcome =
    key === undefined && !isIdGiven
      ? { created: await createAlone() }
      : await createOnce(db, { accountId, key, operation, body, resourceId: id, isIdGiven, vaultId }, async (trx) => {
          checkEnd(expiresAt, part)
          const made = await pin(trx)
          await takeBytes(principal, sizeBytes, trx)
          return await createUpload(alone(trx), made)
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
  /** Largest file, and largest PUT. */
  largest: { file: number; put: number }
  quotaBytes: number
  openUploadsMax: number
}

/** The network with the smallest limit limits all uploads. */
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

/** All four encryption fields, or none (null). Undefined: only some fields, which no vault accepts. */
export function encryptionIn(body: Fields): NewUpload['encryption'] | undefined {
  const given = fields.filter((path) => body[path] != null)
  if (given.length === 0) return null
  return given.length === fields.length ? (body as NonNullable<NewUpload['encryption']>) : undefined
}

type Asked = Fields & {
  vaultId: string
  sizeBytes: number
  partSizeBytes?: number | null | undefined
  /** As in `NewUpload`. */
  isOpaque?: boolean | undefined
  part: InputPart
}

/** Whether every account and vault would reject the upload. */
export function isTooLarge(
  { sizeBytes, partSizeBytes }: Pick<Asked, 'sizeBytes' | 'partSizeBytes'>,
  { largest }: UploadLimits,
): boolean {
  return sizeBytes > largest.file || Math.min(partSizeBytes ?? sizeBytes, sizeBytes) > largest.put
}

/** The reason for a rejection, looked up only after the rejection. Throws 400 with the invalid fields. */
export async function explainRefusal(
  db: Kysely<FilesDb>,
  accountId: string,
  asked: Asked,
  limits: UploadLimits,
): Promise<AppError> {
  // The reason may no longer exist.
  return (await findFault(db, accountId, asked, limits)) ?? unavailable()
}

/** The same check before an upload. Null: no reason. */
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
  if (vault.isExport) return new AppError('state_conflict', 'The vault of an export accepts no other files')
  if (asked.isOpaque !== true) checkEncryption(asked, vault.visibility, part)
  if (isTooLarge(asked, limits)) return tooLarge(asked, limits)
  const account = await db.selectFrom('account').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow()
  if (account.openUploads >= openUploadsMax) {
    return new AppError(
      'too_many_open_uploads',
      'The account has too many open uploads. Confirm or delete some first.',
      {
        details: { openUploadsMax },
        retryAfterSeconds: OPEN_UPLOADS_RETRY_SECONDS,
      },
    )
  }
  if (quotaBytes > 0 && account.storageBytes + sizeBytes > quotaBytes) {
    return new AppError('quota_exceeded', 'The file exceeds the quota of the account', {
      details: { quotaBytes, storageBytes: account.storageBytes },
    })
  }
  return null
}

/**
 * Requires all four fields in a private vault, and none in a public one (docs/reference/http/files.md). Throws 400 with
 * each invalid field.
 */
function checkEncryption(body: Fields, visibility: Visibility, part: InputPart): void {
  const isPrivate = visibility === 'private'
  const message = isPrivate ? 'Is required in a private vault' : 'Must not be sent for a public vault'
  const issues = fields.filter((path) => (body[path] == null) === isPrivate).map((path) => ({ path, message }))
  if (issues.length > 0) throw invalidInput(part, issues)
}

/** The limit of a PUT also applies to a part. */
function tooLarge({ sizeBytes, partSizeBytes }: Omit<Asked, 'part'>, { largest }: UploadLimits): AppError {
  const maxSizeBytes = partSizeBytes == null ? Math.min(largest.file, largest.put) : largest.file
  if (sizeBytes > maxSizeBytes) return new AppError('too_large', 'The file is too large', { details: { maxSizeBytes } })
  return new AppError('too_large', 'The parts are too large', { details: { maxPartSizeBytes: largest.put } })
}

import { type NewObject, newObject } from '@tideport/contracts/internal/object-contents'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { mimeType } from '@tideport/contracts/public/mime-type'
import type { DigestName, Digests } from '@tideport/digests/digest-names'
import { placeOfKey } from '@tideport/file-lifecycle/state/key-place'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import type { NewUpload } from '@tideport/file-lifecycle/upload/create-upload'
import { createUpload } from '@tideport/file-lifecycle/upload/create-upload'
import { longestPartSeconds } from '@tideport/file-lifecycle/upload/open-parts'
import { AppError } from '@tideport/service-kit/process/app-error'
import { v7 as uuidv7 } from 'uuid'
import { missing } from '../buckets/find-bucket.ts'
import { assertMay, may, uploaderOf } from '../calls/enforce-key-limits.ts'
import type { OwnVault } from '../lookups/authorized-vault.ts'
import { type CreateDeps, explainRefusal } from '../uploads/new-upload.ts'
import { changed } from './conditions.ts'
import { findObject } from './find-object.ts'
import { toTags } from './object-tags.ts'

/** Throws 400. */
export function objectIn(header: string): NewObject {
  try {
    return newObject.parse(JSON.parse(Buffer.from(header, 'base64url').toString()))
  } catch (cause) {
    throw new AppError('validation_failed', 'The description of the object is invalid', { cause })
  }
}

const UNKNOWN_TYPE = 'application/octet-stream'

/** A type that native clients could not read is only a header of the S3 door. */
export function typedHeaders({ mimeType: given, headers }: Pick<NewObject, 'mimeType' | 'headers'>) {
  const type = mimeType.safeParse(given)
  return type.success && type.data === given
    ? { mimeType: given, headers }
    : { mimeType: UNKNOWN_TYPE, headers: { ...headers, 'content-type': given } }
}

export function labelsOf({ metadata, tags }: Pick<NewObject, 'metadata' | 'tags'>) {
  return { metadata, tags: tags && toTags(tags) }
}

/** What a file keeps of the digests of its bytes. */
export function digestColumns(found: Digests, kept: DigestName[]) {
  return {
    sha256: Buffer.from(found.sha256 ?? '', 'base64').toString('hex'),
    entityTag: Buffer.from(found.md5 ?? '', 'base64').toString('hex'),
    digests: Object.fromEntries(kept.map((name) => [name, found[name] ?? ''])),
  }
}

/** An upload that this process sends to the store. It is cut off when it expires. */
export function livesOf(sizeBytes: number, { settleSeconds }: { settleSeconds: number }) {
  const expirySeconds = longestPartSeconds(sizeBytes)
  return { form: 'direct' as const, expirySeconds, settledAfterSeconds: expirySeconds + settleSeconds }
}

interface Placed {
  principal: AccountPrincipal
  vault: OwnVault
  key: string
  ifOccupant: string | null
}

type Given = 'id' | 'accountId' | 'vaultId' | 'folder' | 'name' | 'onConflict' | 'quotaBytes' | 'openUploadsMax'

/**
 * Creates an upload that takes its key. A caller that may not delete only adds files. Throws the reason of a refusal.
 */
export async function createObject(
  { db, writes, takeBytes, limits }: CreateDeps,
  { principal, vault, key, ifOccupant }: Placed,
  file: Omit<NewUpload, Given>,
): Promise<FileRow> {
  const { accountId, id: vaultId } = vault
  const { sizeBytes } = file
  const onConflict = may(principal, 'replaces') ? 'replace' : 'fail'
  await takeBytes(principal, sizeBytes)
  const upload = await createUpload(writes, {
    ...{ isOpaque: true, uploaderKeyId: uploaderOf(principal), ...file, ...placeOfKey(key) },
    ...{ id: uuidv7(), accountId, vaultId, onConflict, ifOccupant },
    ...{ quotaBytes: limits.quotaBytes, openUploadsMax: limits.openUploadsMax },
  })
  if (upload !== null) return upload
  const asked = { vaultId, sizeBytes, isOpaque: true, part: 'headers' as const }
  const refusal = await explainRefusal(db, accountId, asked, limits)
  throw refusal.code === 'not_found' ? missing('bucket') : refusal
}

/** Converts the refusal of a key that was taken meanwhile. */
export async function refusalAtKey(
  { db }: Pick<CreateDeps, 'db'>,
  { principal, vault, key }: Omit<Placed, 'ifOccupant'>,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof AppError)) return error
  if (error.code === 'precondition_failed') return changed(principal, await findObject(db, vault, key))
  // Throws 403, because only a caller that may not delete files is refused.
  if (error.code === 'path_taken') assertMay(principal, 'replaces')
  return error
}

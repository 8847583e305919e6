import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { revisionOf } from '@tideport/file-lifecycle/state/revision'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { findOccupant, NOBODY } from '@tideport/file-lifecycle/state/take-path'
import type { NewUpload } from '@tideport/file-lifecycle/upload/create-upload'
import { isKnown } from '@tideport/service-kit/http/entity-tag'
import type { Kysely } from 'kysely'
import { assertMay } from '../calls/enforce-key-limits.ts'
import { etagOf, preconditionFailed } from './file-fields.ts'

/** Conditions of a request, by lower-case header (RFC 9110 §13). */
export interface Conditions {
  'if-match'?: string | undefined
  'if-none-match'?: string | undefined
}

/** The conditions of a request among its headers. Null: none. */
export function conditionsIn(headers: Conditions): Conditions | null {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers
  if (ifMatch === undefined && ifNoneMatch === undefined) return null
  return {
    ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
  }
}

/** `etag`: of the current file, quoted; null: none exists. */
function holds({ 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: Conditions, etag: string | null): boolean {
  if (ifMatch !== undefined && (etag === null || !isMatched(etag, ifMatch))) return false
  return ifNoneMatch === undefined || etag === null || !isKnown(etag, ifNoneMatch)
}

/** `If-Match` compares strongly. */
export function isMatched(etag: string, ifMatch: string): boolean {
  const tags = ifMatch.split(',').map((tag) => tag.trim())
  return tags.includes('*') || tags.includes(etag)
}

type At = Pick<FileRow, 'accountId' | 'vaultId' | 'key'>

/** The ID of the file at a path, which meets the conditions, or `NOBODY`. Throws 412. */
export async function occupantMeeting(db: Kysely<FilesDb>, at: At, conditions: Conditions): Promise<string> {
  const occupantId = await findOccupant(db, at)
  const etag = occupantId && etagOf(occupantId)
  if (!holds(conditions, etag)) throw preconditionFailed(etag)
  return occupantId ?? NOBODY
}

/**
 * The upload with the file that its confirm may replace, which is the one that meets the conditions now. An upload with
 * conditions never shares its path. Throws 412, and 403 for a caller that may not replace files.
 */
export async function pinned(
  db: Kysely<FilesDb>,
  upload: NewUpload,
  { principal, conditions }: { principal: AccountPrincipal; conditions: Conditions | null },
): Promise<NewUpload> {
  if (conditions === null) return upload
  const { accountId, vaultId, folder = '', name, rawKey, onConflict } = upload
  const ifOccupant = await occupantMeeting(db, { accountId, vaultId, key: rawKey ?? folder + name }, conditions)
  if (ifOccupant === NOBODY) return { ...upload, ifOccupant, onConflict: 'fail' }
  if (onConflict !== 'fail') assertMay(principal, 'replaces')
  return { ...upload, ifOccupant, onConflict: onConflict === 'fail' ? 'fail' : 'replace' }
}

/** The strong ETag of a file's record. */
export const recordEtag = (file: FileRow): string => `"${revisionOf(file)}"`

/** Throws 412 unless the record meets the condition. */
export function assertUnchanged(file: FileRow, ifMatch: string | undefined): void {
  const etag = recordEtag(file)
  if (ifMatch !== undefined && !isMatched(etag, ifMatch)) throw preconditionFailed(etag)
}

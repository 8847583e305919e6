import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { NOBODY } from '@tideport/file-lifecycle/state/take-path'
import { isKnown } from '@tideport/service-kit/http/entity-tag'
import type { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { missing } from '../buckets/find-bucket.ts'
import { assertMay, mayRead } from '../calls/enforce-key-limits.ts'
import { preconditionFailed } from '../files/file-fields.ts'
import type { OwnVault } from '../lookups/authorized-vault.ts'
import { findObject } from './find-object.ts'
import { entityTagOf } from './object-view.ts'

interface Conditions {
  ifMatch?: string | undefined
  ifNoneMatch?: string | undefined
}

/** Clients of S3 send tags with and without quotation marks. */
export function isTagIn(list: string, file: Pick<FileRow, 'id' | 'entityTag'>): boolean {
  const quoted = list
    .split(',')
    .map((tag) => tag.trim())
    .map((tag) => (tag === '*' || tag.includes('"') ? tag : `"${tag}"`))
  return isKnown(`"${entityTagOf(file)}"`, quoted.join(','))
}

interface At {
  vault: OwnVault
  key: string
}

/**
 * The file that must have the key when a new file takes it, as `ifOccupant`; null: any. Throws 412, and 404 for
 * `If-Match` of a missing key.
 */
export async function requiredOccupant(
  db: Kysely<FilesDb>,
  principal: AccountPrincipal,
  { vault, key }: At,
  { ifMatch, ifNoneMatch }: Conditions,
): Promise<string | null> {
  if (ifMatch === undefined && ifNoneMatch === undefined) return null
  // Otherwise a caller could guess the tags of files that it may not read.
  if (ifMatch !== undefined || ifNoneMatch !== '*') assertMay(principal, 'reads')
  const file = await findObject(db, vault, key)
  if (ifMatch !== undefined) {
    if (file === null) throw missing('key')
    if (!isTagIn(ifMatch, file)) throw changed(principal, file)
  }
  if (ifNoneMatch !== undefined && file !== null && isTagIn(ifNoneMatch, file)) throw changed(principal, file)
  return file?.id ?? NOBODY
}

/** Hides the tag from a caller that may not read it. */
export function changed(principal: AccountPrincipal, file: Pick<FileRow, 'id' | 'entityTag'> | null): AppError {
  return preconditionFailed(file && mayRead(principal) ? `"${entityTagOf(file)}"` : null)
}

import { metadata, metadataIn } from '@tideport/contracts/public/labels'
import type { Place } from '@tideport/file-lifecycle/state/edit-file'
import type { FileRow, FilesDb, Labels } from '@tideport/file-lifecycle/state/tables'
import { findRefusal, type PathRefusal } from '@tideport/file-lifecycle/state/take-path'
import { type InputPart, inOurWords, invalidInput } from '@tideport/service-kit/http/invalid-input'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'

/** The pairs `meta.KEY=VALUE` of a query. Throws 400 for invalid metadata. */
export function pairsIn(query: unknown): Record<string, string> {
  const pairs = metadata.safeParse(metadataIn(query), { error: inOurWords })
  if (pairs.success) return pairs.data
  const issues = pairs.error.issues.map(({ path, message }) => ({ path: ['meta', ...path].join('.'), message }))
  throw invalidInput('query', issues)
}

/** Sealed metadata is allowed only in private vaults, and excludes metadata and tags. Throws 400. */
export function checkSealed(
  { metadata: pairs, tags, sealedMetadata }: Labels,
  { isPrivate, part }: { isPrivate: boolean; part: InputPart },
): void {
  if (sealedMetadata == null) return
  const invalid = (message: string) => invalidInput(part, [{ path: 'sealedMetadata', message }])
  if (!isPrivate) throw invalid('Must not be sent for a file in a public vault')
  const isOpen = [pairs, tags].some((labels) => labels != null && Object.keys(labels).length > 0)
  if (isOpen) throw invalid('Must not be combined with metadata or tags')
}

interface LabelPatch {
  metadata?: Record<string, string | null> | null | undefined
  tags?: string[] | null | undefined
  sealedMetadata?: string | null | undefined
}

/** The labels of a file after merging a patch; undefined fields do not change. Throws 400 for too many labels. */
export function mergedLabels(file: FileRow, { metadata: patch, tags, sealedMetadata }: LabelPatch) {
  const merged = patch === undefined ? undefined : pairsOf(patch === null ? {} : { ...file.metadata, ...patch })
  const labels = { metadata: merged, tags: tags === null ? [] : tags, sealedMetadata }
  const after = {
    metadata: merged ?? file.metadata,
    tags: labels.tags ?? file.tags,
    sealedMetadata: sealedMetadata === undefined ? file.sealedMetadata : sealedMetadata,
  }
  checkSealed(after, { isPrivate: file.wrappedKey !== null, part: 'body' })
  return labels
}

function pairsOf(patched: Record<string, string | null>): Record<string, string> {
  const kept = Object.entries(patched).filter(([, value]) => value !== null)
  const { success, data, error } = metadata.safeParse(Object.fromEntries(kept), { error: inOurWords })
  if (success) return data
  throw invalidInput('body', [{ path: 'metadata', message: error.issues[0]?.message ?? 'Is not valid' }])
}

/** Checks the time when a file moves to the trash automatically. Throws 400 for a time in the past. */
export function checkEnd(expiresAt: string | null | undefined, part: InputPart): void {
  if (expiresAt == null || Date.parse(expiresAt) > Date.now()) return
  throw invalidInput(part, [{ path: 'expiresAt', message: 'Must be in the future' }])
}

/** `2026/photos/a.jpg` is `a.jpg` in `2026/photos/`. */
export function placeOf(path: string): Place {
  const end = path.lastIndexOf('/') + 1
  return { folder: path.slice(0, end), name: path.slice(end) }
}

/** The strong ETag of the bytes of a file. */
export const etagOf = (fileId: string): string => `"${fileId}"`

export function preconditionFailed(etag: string | null): AppError {
  const sentence = 'The file has changed: its ETag does not match the conditions of the request'
  return new AppError('precondition_failed', sentence, { details: { etag } })
}

export function refusedAtPath({ outcome, occupantId }: PathRefusal): AppError {
  if (outcome === 'precondition_failed') return preconditionFailed(occupantId && etagOf(occupantId))
  return new AppError('path_taken', 'Another file has this path', { details: { fileId: occupantId } })
}

/** Throws 409 if `onConflict` is `fail` and another file has the path, and 412 if the path has another file. */
export async function checkPath(
  db: Kysely<FilesDb>,
  { path, ifOccupant = null, ...at }: Pick<FileRow, 'accountId' | 'vaultId' | 'path' | 'onConflict'> & Expecting,
): Promise<void> {
  const refusal = await findRefusal(db, { ...at, ifOccupant, key: path })
  if (refusal !== null) throw refusedAtPath(refusal)
}

interface Expecting {
  ifOccupant?: string | null
}

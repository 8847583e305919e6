import { metadata, metadataIn } from '@tideport/contracts/public/labels'
import type { Place } from '@tideport/file-lifecycle/state/edit-file'
import type { FileRow, FilesDb, Labels } from '@tideport/file-lifecycle/state/tables'
import { findOccupant } from '@tideport/file-lifecycle/state/take-path'
import { type InputPart, inOurWords, invalidInput } from '@tideport/service-kit/http/invalid-input'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'

/** The pairs `meta.KEY=VALUE` of a query. Throws 400 for what no metadata may be. */
export function pairsIn(query: unknown): Record<string, string> {
  const pairs = metadata.safeParse(metadataIn(query), { error: inOurWords })
  if (pairs.success) return pairs.data
  const issues = pairs.error.issues.map(({ path, message }) => ({ path: ['meta', ...path].join('.'), message }))
  throw invalidInput('query', issues)
}

/** Sealed is for private vaults, and in place of the others. Throws 400. */
export function checkSealed(
  { metadata: pairs, tags, sealedMetadata }: Labels,
  { isPrivate, part }: { isPrivate: boolean; part: InputPart },
): void {
  if (sealedMetadata == null) return
  const invalid = (message: string) => invalidInput(part, [{ path: 'sealedMetadata', message }])
  if (!isPrivate) throw invalid('Must not be sent for a file in a public vault')
  const isOpen = [pairs, tags].some((labels) => labels != null && Object.keys(labels).length > 0)
  if (isOpen) throw invalid('Must not be beside metadata or tags')
}

interface LabelPatch {
  metadata?: Record<string, string | null> | null | undefined
  tags?: string[] | null | undefined
  sealedMetadata?: string | null | undefined
}

/** What a file has once a patch is merged with what it had; undefined stays as it is. Throws 400 for too much. */
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

/** When a file is to go to the trash by itself. Throws 400 for what has passed, which nobody means. */
export function checkEnd(expiresAt: string | null | undefined, part: InputPart): void {
  if (expiresAt == null || Date.parse(expiresAt) > Date.now()) return
  throw invalidInput(part, [{ path: 'expiresAt', message: 'Must lie in the future' }])
}

/** `2026/photos/a.jpg` is `a.jpg` in `2026/photos/`. */
export function placeOf(path: string): Place {
  const end = path.lastIndexOf('/') + 1
  return { folder: path.slice(0, end), name: path.slice(end) }
}

export function pathTaken(fileId: string): AppError {
  return new AppError('path_taken', 'Another file has this path', { details: { fileId } })
}

/** Throws 409 where a file that is not to stand beside another could not be put now. */
export async function checkPath(
  db: Kysely<FilesDb>,
  { onConflict, ...at }: Pick<FileRow, 'accountId' | 'vaultId' | 'path' | 'onConflict'>,
): Promise<void> {
  if (onConflict !== 'fail') return
  const occupantId = await findOccupant(db, at)
  if (occupantId !== null) throw pathTaken(occupantId)
}

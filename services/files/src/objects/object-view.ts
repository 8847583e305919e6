import type { ObjectView } from '@tideport/contracts/internal/objects'
import { isInHotTier } from '@tideport/file-lifecycle/copies/open-bytes'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { countParts } from '@tideport/file-lifecycle/upload/part-sizes'

/** Without quotation marks. Files from other clients have a permanent tag that is no MD5. */
export function entityTagOf({ id, entityTag }: Pick<FileRow, 'id' | 'entityTag'>): string {
  return entityTag ?? `${id.replaceAll('-', '')}-1`
}

export function toObject(row: FileRow): ObjectView {
  const digests = row.digests ?? {}
  // A type that native clients could not read is stored as a header.
  const { 'content-type': type, ...headers } = row.headers ?? {}
  return {
    fileId: row.id,
    key: row.key,
    sizeBytes: row.sizeBytes,
    etag: entityTagOf(row),
    lastModified: (row.confirmedAt ?? row.createdAt).toISOString(),
    mimeType: type ?? row.mimeType,
    headers,
    metadata: row.metadata ?? {},
    tagCount: row.tags?.length ?? 0,
    digests,
    digestType: digestTypeOf(digests),
    partCount: countParts(row.partSizes),
    isHot: row.status !== 'cold',
    restore: restoreOf(row),
  }
}

/** A composite digest ends in the number of parts: `…=-3`. */
function digestTypeOf(digests: Record<string, string>): ObjectView['digestType'] {
  const values = Object.values(digests)
  if (values.length === 0) return null
  return values.some((value) => value.includes('-')) ? 'composite' : 'full_object'
}

function restoreOf(row: FileRow): ObjectView['restore'] {
  if (row.status !== 'cold') return null
  if (row.rehydrateDueAt !== null) return { isOngoing: true, until: null }
  const isThere = isInHotTier(row) && row.evictingAt === null
  return isThere ? { isOngoing: false, until: row.hotUntil?.toISOString() ?? null } : null
}

const EMPTY_MD5 = 'd41d8cd98f00b204e9800998ecf8427e'

export function toFolderObject({ path, createdAt }: { path: string; createdAt: Date }): ObjectView {
  const none = { headers: {}, metadata: {}, digests: {}, digestType: null, partCount: null, restore: null }
  const fields = { fileId: null, key: path, sizeBytes: 0, etag: EMPTY_MD5, lastModified: createdAt.toISOString() }
  return { ...fields, ...none, mimeType: 'application/x-directory', tagCount: 0, isHot: true }
}

import { createHash } from 'node:crypto'
import { checkDigests, type DigestCheck } from '@tideport/hot-tier/check-digests'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { ClaimedCopy } from '../state/copy-transitions.ts'
import type { FileRow } from '../state/tables.ts'
import { SourceError } from './failures.ts'
import { openSource } from './open-source.ts'

type Deps = Parameters<typeof openSource>[0]

/** Of bytes whose checksum is known, null: they are compared with that. */
export async function openCheck(
  { hotTier }: { hotTier: HotTier },
  file: FileRow,
  signal: AbortSignal,
): Promise<DigestCheck | null> {
  if (file.sha256 !== null || file.checksumDeclared !== null || file.hotKey === null) return null
  const partSizeBytes = file.uploadForm === 'parts' ? (file.partSizeBytes ?? file.sizeBytes) : null
  return checkDigests(await hotTier.digests(file.hotKey, signal), { sizeBytes: file.sizeBytes, partSizeBytes })
}

/**
 * Throws unless the bytes that were read, which have this SHA-256, are those that the store keeps: by its checksum or ETag, or
 * because they were read twice (docs/adr/0116). An ETag alone never fails a file permanently: the last attempt goes without it.
 */
export async function assertStored(
  deps: Deps & { syncAttemptsMax: number },
  claimed: ClaimedCopy,
  { check, sha256 }: { check: DigestCheck; sha256: string },
  signal: AbortSignal,
): Promise<void> {
  const comparison = check.compare(sha256)
  if (comparison === 'same') return
  if (comparison !== 'other') await assertSameAgain(deps, claimed, sha256, signal)
  const isLast = claimed.copy.attempt + 1 >= deps.syncAttemptsMax
  if (comparison === 'unknown' || (comparison === 'unlike' && isLast)) return
  if (comparison === 'unlike' && !(await deps.hotTier.hasMd5ETags(check.form, signal))) return
  throw new SourceError('The bytes are not those that the store names a digest of')
}

/** A permanent conclusion needs two reads: a proxy may have answered once in the store's place. */
export async function assertSameAgain(
  deps: Deps,
  claimed: ClaimedCopy,
  sha256: string,
  signal: AbortSignal,
): Promise<void> {
  using source = await openSource(deps, claimed, signal)
  const hash = createHash('sha256')
  for await (const chunk of source?.bytes ?? []) hash.update(chunk)
  if (hash.digest('hex') !== sha256) throw new SourceError('The same object was read twice with different bytes')
}

import type { Kysely } from 'kysely'
import type { ClaimedCopy } from '../state/copy-transitions.ts'
import { reloadFile } from '../state/queries.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { withFile } from './claim.ts'

/**
 * Repeats a guarded write of a claimed step on the row as it is now, until it holds or there is nothing left to write:
 * null when the claim is somebody else's, the status has moved on, or the file was thrown away.
 */
export async function writeClaimed(
  db: Kysely<FilesDb>,
  file: FileRow,
  write: (current: FileRow) => Promise<FileRow | null>,
): Promise<FileRow | null> {
  for (let current = file; ; ) {
    const written = await write(current)
    if (written) return written
    const again = await reloadFile(db, file.id)
    const isOurs = again?.fencingToken === file.fencingToken && again.status === file.status
    const isLive = again?.deletedAt === null && again.purgingAt === null
    // The same version and still refused, such as when its vault was thrown away: trying again would change nothing.
    if (!isOurs || !isLive || again.version === current.version) return null
    current = again
  }
}

/** As `writeClaimed`, under the claim of a copy: whatever else happens to the file, as long as the copy is ours. */
export async function writeCopy(
  db: Kysely<FilesDb>,
  claimed: ClaimedCopy,
  write: (current: ClaimedCopy) => Promise<FileRow | null>,
): Promise<ClaimedCopy | null> {
  for (let current = claimed; ; ) {
    const written = await write(current)
    if (written) return { ...current, file: written }
    const again = await withFile(db, current.copy)
    if (again === null || again.file.version === current.file.version) return null
    current = again
  }
}

import type { Kysely } from 'kysely'
import type { ClaimedCopy } from '../state/copy-transitions.ts'
import { readFileCopies } from '../state/file-copies.ts'
import { untilGuarded } from '../state/queries.ts'
import type { CopyRow, FileRow, FilesDb } from '../state/tables.ts'

/**
 * Repeats a guarded write of a claimed step on the row as it is now. Null when the claim is somebody else's, the status
 * has moved on, or the file was thrown away.
 */
export function writeClaimed(
  db: Kysely<FilesDb>,
  file: FileRow,
  write: (current: FileRow) => Promise<FileRow | null>,
): Promise<FileRow | null> {
  return untilGuarded(db, file, write, ({ fencingToken, status, deletedAt, purgingAt }) => {
    const isOurs = fencingToken === file.fencingToken && status === file.status
    return isOurs && deletedAt === null && purgingAt === null
  })
}

/** Repeats a guarded write under the claim of a copy, whatever else happens to its file, as long as the copy is ours. */
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

/**
 * The file and all copies of a copy that is claimed. Null: it is not the copy that it was, or the file is being purged.
 */
export async function withFile(
  db: Kysely<FilesDb>,
  { fileId, network, fencingToken, state }: CopyRow,
): Promise<ClaimedCopy | null> {
  const found = await readFileCopies(db, fileId)
  const copy = found?.copies.find((one) => one.network === network)
  const isOurs = copy?.fencingToken === fencingToken && copy.state === state
  return found && copy && isOurs ? { file: found.file, copies: found.copies, copy } : null
}

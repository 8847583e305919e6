import type { Place } from '@tideport/file-lifecycle/state/edit-file'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { findOccupant } from '@tideport/file-lifecycle/state/take-path'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'

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

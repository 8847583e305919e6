import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Kysely } from 'kysely'
import type { NetworkNames } from '../state/file-copies.ts'
import { isFileLive, reloadFile, untilGuarded, untilTaken } from '../state/queries.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { findOccupant } from '../state/take-path.ts'
import { markHot, markHotAtPath } from '../state/transitions.ts'
import type { Writes } from '../state/writes.ts'
import { reopenUpload } from './uploads.ts'

export interface ConfirmDeps {
  db: Kysely<FilesDb>
  writes: Writes
  networks: NetworkNames
  trashRetentionSeconds: number
}

/**
 * `confirmed`: the file is hot or beyond. `incomplete`, `mismatch`: the client has to PUT (again). `in_progress`: the
 * store is still at work, ask again. `lost`: the store lost the upload for good. `gone`: aborted or thrown away.
 * `path_taken`: it was not to stand beside the file that has its path; it stays an upload.
 */
export type Completion =
  | { outcome: 'confirmed'; file: FileRow; didTransition: boolean }
  | { outcome: 'path_taken'; occupantId: string }
  | { outcome: 'incomplete' | 'mismatch' | 'in_progress' | 'lost' | 'gone' }

/** Of a file whose object was seen, or made, with its declared size. */
export async function confirmSeen(deps: ConfirmDeps, file: FileRow): Promise<Completion> {
  await failpoint('confirm.before-commit')
  if (file.onConflict !== 'keep') return await confirmAtPath(deps, file)
  const { db, writes, networks } = deps
  const confirmed = await untilGuarded(db, file, (current) => markHot(writes, current, networks), isUploading)
  return confirmed ? { outcome: 'confirmed', file: confirmed, didTransition: true } : await settledMeanwhile(db, file)
}

/** Whoever is overtaken at its path begins anew, with what is there now. */
async function confirmAtPath(deps: ConfirmDeps, file: FileRow): Promise<Completion> {
  const { db, writes, networks, trashRetentionSeconds: retentionSeconds } = deps
  const write = (current: FileRow) => markHotAtPath(writes, current, { networks, retentionSeconds })
  const mayStill = async (again: FileRow) => again.onConflict !== 'keep' && (await stateAtPath(db, again)) === 'free'
  const confirmed = await untilTaken(db, file, write, mayStill)
  if (confirmed) return { outcome: 'confirmed', file: confirmed, didTransition: true }
  const again = await reloadFile(db, file.id)
  const state = again && (await stateAtPath(db, again))
  if (again === null || state === null || state === 'over') return await settledMeanwhile(db, file)
  if (state === 'free') return again.onConflict === 'keep' ? await confirmSeen(deps, again) : { outcome: 'in_progress' }
  // Its object is there, and nothing that the store still does could change that: the upload is open until it ends.
  if (again.completingAt !== null) await reopenUpload(db, again)
  return { outcome: 'path_taken', ...state }
}

/** Whether an upload may still become hot at its path, or who stands in its way. */
async function stateAtPath(db: Kysely<FilesDb>, file: FileRow): Promise<'free' | 'over' | { occupantId: string }> {
  if (!isUploading(file) || !(await isFileLive(db, file.id))) return 'over'
  const occupantId = file.onConflict === 'fail' ? await findOccupant(db, file) : null
  return occupantId === null ? 'free' : { occupantId }
}

export function isUploading({ status, purgingAt }: FileRow): boolean {
  return status === 'uploading' && purgingAt === null
}

export async function settledMeanwhile(db: Kysely<FilesDb>, file: FileRow): Promise<Completion> {
  const current = await reloadFile(db, file.id)
  if (!current || current.purgingAt !== null || current.status === 'uploading') return { outcome: 'gone' }
  return { outcome: 'confirmed', file: current, didTransition: false }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { UploadedPart } from '@tideport/hot-tier/write-object'
import { unavailable } from '@tideport/service-kit/process/app-error'
import { openDeadline } from '@tideport/service-kit/process/deadline'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Kysely } from 'kysely'
import type { NetworkNames } from '../state/file-copies.ts'
import { isFileLive, reloadFile, untilGuarded, untilTaken } from '../state/queries.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { findRefusal, type PathRefusal } from '../state/take-path.ts'
import { markHot, markHotAtPath } from '../state/transitions.ts'
import type { Writes } from '../state/writes.ts'
import { chosenParts, reopenParts } from './open-parts.ts'
import { beginCompleting, compareParts, reopenUpload } from './upload-urls.ts'

export interface ConfirmDeps {
  db: Kysely<FilesDb>
  writes: Writes
  networks: NetworkNames
  trashRetentionSeconds: number
}

/**
 * `incomplete`, `mismatch`: the client has to PUT again. `in_progress`: confirm again. `lost`: permanently. `gone`:
 * aborted or trashed. `path_taken`, `precondition_failed`: stays an upload.
 */
export type Completion =
  | { outcome: 'confirmed'; file: FileRow; didTransition: boolean }
  | PathRefusal
  | { outcome: 'incomplete' | 'mismatch' | 'in_progress' | 'lost' | 'gone' }

export interface CompletionDeps extends ConfirmDeps {
  hotTier: HotTier
  confirmLostSeconds: number
  settleSeconds: number
}

const FIRST_LOOK_MS = 25
const SLOWEST_LOOK_MS = 1_000

/**
 * Makes an upload a hot file (docs/explain/life-of-a-file.md §4). Stores may respond late, twice, or for lost uploads,
 * so only the object with its declared size permits `hot`. Can be repeated. Holds no lock while the store works.
 */
export async function completeUpload(
  deps: CompletionDeps,
  upload: FileRow,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
): Promise<Completion> {
  if (upload.status !== 'uploading') return { outcome: 'confirmed', file: upload, didTransition: false }
  if (upload.completingAt === null) {
    // Checked before the completion begins. Later the path is checked only when the object exists, because nothing else
    // may stop an upload in completion.
    const refusal = await findRefusal(deps.db, upload)
    if (refusal !== null) return refusal
  }
  const isOpen = upload.uploadForm === 'open'
  if (upload.uploadForm !== 'parts' && !isOpen) return await confirmWhole(deps, upload)
  if (upload.uploadId === null || upload.hotKey === null) return { outcome: 'incomplete' }
  // Only the client knows which parts are all of them (`completeOpenUpload`).
  if (isOpen && upload.completingAt === null) return { outcome: 'incomplete' }

  const place = { key: upload.hotKey, uploadId: upload.uploadId }
  const parts = isOpen
    ? await chosenAtStore(deps, upload, place)
    : await deps.hotTier.listParts(place.key, place.uploadId)
  const fault = parts && !isOpen ? compareParts(upload, parts) : null
  if (fault && (await isStillOpen(deps.db, upload))) return { outcome: fault }

  using limit = openDeadline(waitMs, signal)
  const deadline = limit.signal
  const lives = { settleSeconds: deps.settleSeconds, lostSeconds: deps.confirmLostSeconds }
  const begin = (current: FileRow) => beginCompleting(deps.writes, current, lives)
  const begun = await untilGuarded(deps.db, upload, begin, isUploading)
  if (!begun) return await settledMeanwhile(deps.db, upload)

  if (!parts || fault) return await awaitObject(deps, begun, { isListed: parts !== null, deadline })
  await failpoint('confirm.before-complete')
  const answer = await deps.hotTier.complete(upload.hotKey, upload.uploadId, parts, deadline)
  await failpoint('confirm.after-complete')
  if (answer === 'refused' && (await deps.hotTier.head(upload.hotKey, { sizeBytes: upload.sizeBytes })) === null) {
    await (isOpen ? reopenParts : reopenUpload)(deps.db, begun.file)
    return { outcome: 'mismatch' }
  }
  const unanswered = answer === 'unanswered' ? parts : null
  return await awaitObject(deps, begun, { isListed: true, unanswered, deadline })
}

/** Null: no such upload at the store. */
async function chosenAtStore(
  { db, hotTier }: CompletionDeps,
  { id }: FileRow,
  place: { key: string; uploadId: string },
): Promise<UploadedPart[] | null> {
  const parts = await chosenParts(db, id)
  const partNumber = parts[0]?.partNumber ?? 1
  const isListed = (await hotTier.findPart({ ...place, partNumber })) !== null
  return isListed || (await hotTier.listParts(place.key, place.uploadId)) !== null ? parts : null
}

/** A single PUT needs no completion: its object exists or not. */
async function confirmWhole(deps: CompletionDeps, upload: FileRow): Promise<Completion> {
  const sizeBytes = await deps.hotTier.head(upload.uploadKey, { sizeBytes: upload.sizeBytes })
  if (sizeBytes === upload.sizeBytes) return await confirmSeen(deps, upload)
  if (!(await isStillOpen(deps.db, upload))) return await settledMeanwhile(deps.db, upload)
  return { outcome: sizeBytes === null ? 'incomplete' : 'mismatch' }
}

/**
 * Checked after the parts are listed, because the store removes the parts only after `completing_at` is set. If another
 * confirm completes the upload, missing parts mean nothing.
 */
async function isStillOpen(db: Kysely<FilesDb>, upload: FileRow): Promise<boolean> {
  if (upload.completingAt !== null) return false
  const current = await reloadFile(db, upload.id)
  return current?.status === 'uploading' && current.completingAt === null
}

interface Wait {
  /** The store listed the upload before the completion. */
  isListed: boolean
  /** Parts of a completion that the store may not have received. */
  unanswered?: UploadedPart[] | null
  deadline: AbortSignal
}

async function awaitObject(
  deps: CompletionDeps,
  { file, isOverdue }: { file: FileRow; isOverdue: boolean },
  { isListed, unanswered = null, deadline }: Wait,
): Promise<Completion> {
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, SLOWEST_LOOK_MS)) {
    const sizeBytes = await deps.hotTier.head(file.hotKey ?? '', { sizeBytes: file.sizeBytes })
    if (sizeBytes === file.sizeBytes) return await confirmSeen(deps, file)
    if (isOverdue && !isListed) return { outcome: 'lost' }
    if (deadline.aborted) return { outcome: 'in_progress' }
    if (unanswered && (await completeAgain(deps.hotTier, file, { parts: unanswered, deadline }))) unanswered = null
    await delay(pauseMs, undefined, { signal: deadline }).catch(() => {})
  }
}

/**
 * Repeats an unanswered completion with the same parts (ADR 0010), unless the store no longer lists the upload because
 * it works on it. Returns whether the store responded.
 */
async function completeAgain(
  hotTier: HotTier,
  { uploadKey, uploadId }: FileRow,
  { parts, deadline }: { parts: UploadedPart[]; deadline: AbortSignal },
): Promise<boolean> {
  if (uploadId === null || (await hotTier.listParts(uploadKey, uploadId)) === null) return false
  return (await hotTier.complete(uploadKey, uploadId, parts, deadline)) !== 'unanswered'
}

type Bytes = Parameters<HotTier['putWhole']>[2]

/**
 * Stores bytes in memory as the object of a new upload and confirms it, with one call and one statement. Throws 503
 * when the store refuses the bytes.
 */
export async function storeAndConfirm(
  deps: ConfirmDeps & { hotTier: HotTier },
  upload: FileRow,
  bytes: Bytes,
): Promise<Completion> {
  await failpoint('content.before-put')
  await putBytes(deps.hotTier, upload, bytes)
  await failpoint('content.after-put')
  const completion = await confirmSeen(deps, upload)
  if (completion.outcome === 'confirmed') await failpoint('content.after-commit')
  return completion
}

/** An object under this key is from an earlier attempt of the same request. */
async function putBytes(hotTier: HotTier, { uploadKey, mimeType }: FileRow, bytes: Bytes): Promise<void> {
  if ((await hotTier.putWhole(uploadKey, mimeType, bytes)) === 'made') return
  if ((await hotTier.head(uploadKey, { sizeBytes: bytes.sizeBytes })) !== bytes.sizeBytes)
    throw unavailable('The object storage did not store the bytes; try again')
}

/** The object exists with its declared size. */
export async function confirmSeen(deps: ConfirmDeps, file: FileRow): Promise<Completion> {
  await failpoint('confirm.before-commit')
  if (file.onConflict !== 'keep') return await confirmAtPath(deps, file)
  const { db, writes, networks } = deps
  const confirmed = await untilGuarded(db, file, (current) => markHot(writes, current, networks), isUploading)
  return confirmed ? { outcome: 'confirmed', file: confirmed, didTransition: true } : await settledMeanwhile(db, file)
}

/** Starts again when another file takes the path. */
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
  // Its object exists, and the store can no longer change that, so the upload is reopened.
  if (again.completingAt !== null) await reopenUpload(db, again)
  return state
}

/** Whether the upload may become hot at its path, or why not. */
async function stateAtPath(db: Kysely<FilesDb>, file: FileRow): Promise<'free' | 'over' | PathRefusal> {
  if (!isUploading(file) || !(await isFileLive(db, file.id))) return 'over'
  return (await findRefusal(db, file)) ?? 'free'
}

export function isUploading({ status, purgingAt }: FileRow): boolean {
  return status === 'uploading' && purgingAt === null
}

export async function settledMeanwhile(db: Kysely<FilesDb>, file: FileRow): Promise<Completion> {
  const current = await reloadFile(db, file.id)
  if (!current || current.purgingAt !== null || current.status === 'uploading') return { outcome: 'gone' }
  return { outcome: 'confirmed', file: current, didTransition: false }
}

import type { FileFailure } from '@tideport/contracts/public/file-failure'
import type { JobFailure } from '@tideport/contracts/public/jobs'
import { isTooLong } from '@tideport/contracts/public/paths'
import { isInHotTier, openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import { withCopies } from '@tideport/file-lifecycle/state/file-copies'
import { isLive, reloadFile } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb, OnConflict } from '@tideport/file-lifecycle/state/tables'
import { findOccupant, findRefusal } from '@tideport/file-lifecycle/state/take-path'
import { hotTakings, markHot } from '@tideport/file-lifecycle/state/transitions'
import { alone } from '@tideport/file-lifecycle/state/writes'
import { currentCause } from '@tideport/service-kit/context/request-context'
import { AppError } from '@tideport/service-kit/process/app-error'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { type Kysely, sql } from 'kysely'
import type { AccountJobRow } from '../jobs/account-job.ts'
import { type JobDeps, writeAdvance } from '../jobs/job-kind.ts'
import { beginFile, giveUp } from '../jobs/made-files.ts'
import { unlessOvertaken } from '../jobs/write-conflicts.ts'
import { readChosen } from './operation.ts'

export interface CopyTo {
  /** A vault of the same visibility. */
  vaultId: string
  /** Ends with a slash. Empty: no folder. */
  folder: string
  /** The prefix to replace. Null: the complete folder is replaced. */
  from: string | null
  onConflict: OnConflict
  quotaBytes: number
  openUploadsMax: number
}

interface Batch {
  vaultId: string
  ids: readonly string[]
  /** Prefixes of the paths of named files; null: any path. */
  prefixes: readonly string[] | null
  to: CopyTo
  /** The progress after this batch. */
  next: { progress: object | null; isOver: boolean }
  /** In the transaction of the last batch. */
  atEnd?: ((trx: Kysely<FilesDb>) => Promise<void>) | undefined
}

interface Copied {
  source: FileRow
  upload: FileRow
}

/**
 * Copies files as uploads, then makes all of them hot in the transaction that writes the progress. Uploads without that
 * transaction expire like other uploads.
 */
export async function copyFiles(
  deps: JobDeps,
  job: AccountJobRow,
  { vaultId, ids, prefixes, to, next, atEnd }: Batch,
  signal: AbortSignal,
): Promise<AccountJobRow> {
  const { db } = deps
  const chosen = { accountId: job.accountId, vaultId, ids, prefixes: to.from === null ? prefixes : [to.from] }
  const sources = await readChosen(db, chosen, sql`${isLive} and status <> 'uploading'`)
  const made: Copied[] = []
  const failures: JobFailure[] = []
  const fail = ({ id, path }: FileRow, code: FileFailure) => failures.push({ fileId: id, path, code })
  // A missing named file counts as a failure; a file that left the range does not.
  const missing = to.from === null ? ids.filter((id) => !sources.has(id)) : []
  for (const fileId of missing) failures.push({ fileId, path: '', code: 'not_found' })
  try {
    const outcomes = await Promise.allSettled(
      [...sources.values()].map(async (source) => {
        const copied = await copyOne(deps, job, source, { to, signal, made })
        if (typeof copied === 'string') fail(source, copied)
      }),
    )
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    await failpoint('copy.before-confirm')
    const refused: Copied[] = []
    const written = await db.transaction().execute(async (trx) => {
      refused.length = 0
      for (const copied of made) {
        if (!(await confirmCopy(trx, deps, copied.upload))) refused.push(copied)
      }
      if (next.isOver) await atEnd?.(trx)
      const all = [...failures, ...refused.map(({ source }) => failureOf(source, 'path_taken'))]
      const written = await writeAdvance(trx, job, { ...next, done: made.length - refused.length, failures: all })
      await failpoint('many.before-commit')
      return written
    })
    await Promise.all(refused.map(({ upload }) => giveUp(deps, upload)))
    return written
  } catch (error) {
    await Promise.all(made.map(({ upload }) => giveUp(deps, upload)))
    throw error
  }
}

const failureOf = ({ id: fileId, path }: FileRow, code: FileFailure): JobFailure => ({ fileId, path, code })

async function copyOne(
  deps: JobDeps,
  job: AccountJobRow,
  source: FileRow,
  { to, signal, made }: { to: CopyTo; signal: AbortSignal; made: Copied[] },
): Promise<FileFailure | null> {
  const { db } = deps
  const folder = to.from === null ? to.folder : to.folder + source.folder.slice(to.from.length)
  const path = folder + source.name
  if (isTooLong(path)) return 'path_too_long'
  const at = { accountId: job.accountId, vaultId: to.vaultId, key: path }
  if (to.onConflict === 'fail' && (await findOccupant(db, at)) !== null) return 'path_taken'
  const { vaultId, onConflict, quotaBytes, openUploadsMax } = to
  const place = { vaultId, folder, onConflict, quotaBytes, openUploadsMax }
  // The copy expires like any new file of its vault.
  const upload = await beginFile(deps, job, { ...contentOf(source), ...place })
  if (upload === null) return 'quota_exceeded'
  made.push({ source, upload })
  try {
    await copyBytes(deps, source, upload, signal)
    return null
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'content_lost') throw error
    made.splice(
      made.findIndex((copied) => copied.upload === upload),
      1,
    )
    await giveUp(deps, upload)
    return 'content_lost'
  }
}

/** The fields of a copy. */
export function contentOf(source: FileRow) {
  const { name, mimeType, sizeBytes, metadata, tags, sealedMetadata, checksumDeclared, sha256, awaitingReview } = source
  const { entityTag, digests, headers } = source
  const { wrappedKey, encryptionIv, plaintextSizeBytes, plaintextChecksumSha256 } = source
  const isEncrypted =
    wrappedKey !== null && encryptionIv !== null && plaintextSizeBytes !== null && plaintextChecksumSha256 !== null
  return {
    ...{ name, mimeType, sizeBytes, checksumDeclared, awaitingReview, labels: { metadata, tags, sealedMetadata } },
    ...{ entityTag, digests, headers },
    ...(sha256 !== null && { sha256 }),
    // Files of a private vault that came by the S3 door have no encryption fields.
    isOpaque: !isEncrypted,
    encryption: isEncrypted ? { wrappedKey, encryptionIv, plaintextSizeBytes, plaintextChecksumSha256 } : null,
  }
}

/**
 * Copies bytes to another key: inside the store while the file is hot, otherwise from a network, verified. Throws
 * `content_lost`.
 */
export async function copyBytes(
  deps: Pick<JobDeps, 'db' | 'hotTier' | 'networks' | 'log'>,
  source: FileRow,
  upload: FileRow,
  signal: AbortSignal,
): Promise<void> {
  const { hotTier } = deps
  const { sizeBytes, mimeType } = source
  const isCopied =
    isInHotTier(source) &&
    source.evictingAt === null &&
    source.hotKey !== null &&
    (await hotTier.copy(upload.uploadKey, { from: source.hotKey, sizeBytes, mimeType }, signal))
  if (!isCopied) {
    const { bytes } = await openBytes(deps, await withCopies(deps.db, source), undefined, signal)
    await hotTier.store(upload.uploadKey, { mimeType, body: bytes }, signal)
  }
  const storedBytes = await hotTier.head(upload.uploadKey, { sizeBytes, signal })
  if (storedBytes !== sizeBytes) throw new Error(`The store has ${storedBytes} of ${sizeBytes} bytes of the copy`)
}

const TAKINGS_MAX = 10

/**
 * Makes a copy hot in the current transaction. False: another file has its path, and the copy may not replace that
 * file.
 */
export async function confirmCopy(
  trx: Kysely<FilesDb>,
  { networks, trashRetentionSeconds: retentionSeconds }: Pick<JobDeps, 'networks' | 'trashRetentionSeconds'>,
  upload: FileRow,
): Promise<boolean> {
  for (let taking = 0; taking < TAKINGS_MAX; taking += 1) {
    const file = await reloadFile(trx, upload.id)
    if (file === null || file.purgingAt !== null) throw new Error(`The copy ${upload.id} was deleted meanwhile`)
    // The owner has confirmed the file.
    if (file.status !== 'uploading') return true
    if (file.onConflict === 'keep') {
      if (await markHot(alone(trx), file, networks)) return true
      continue
    }
    if ((await findRefusal(trx, file)) !== null) return false
    const item = { file, networks, retentionSeconds, cause: currentCause() }
    const [hot] = (await unlessOvertaken(trx, () => hotTakings.write(trx, [item], { unlessHeld: false }))) ?? [null]
    if (hot) return true
  }
  return false
}

import { type Retry, type RetryDeps, retryFile } from '@tideport/file-lifecycle/copies/retry-file'
import { isLive } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'
import {
  type DeadLetterFilter,
  type FailedCopy,
  type Look,
  lookForErrors,
  lookForFailedCopies,
  type Place,
} from './page-scan.ts'

export type FileSeen = FileRow & { seenAt: Date }

export type Outcome = Retry['outcome'] | 'would_be_tried'

/** Files in error, or failed copies of healthy files. */
export type Redrivable = 'files' | 'copies'

/** Retries in batches. One retry of a file plans all of its failed copies. */
export async function lookToRedrive(
  { db, networks }: Pick<RetryDeps, 'db' | 'networks'>,
  kind: Redrivable,
  filter: DeadLetterFilter,
  after: Place | null,
  limit?: number,
): Promise<Look<FileSeen & { place: Place }>> {
  if (kind === 'files') return await lookForErrors(db, filter, after, limit)
  const { rows, end } = await lookForFailedCopies(db, networks.required, filter, after, limit)
  const files = new Map(rows.map((copy) => [copy.id, asFile(copy)]))
  return { rows: [...files.values()], end }
}

const asFile = ({ network: _, reason, failedAt, ...file }: FailedCopy) => ({
  ...file,
  errorCode: reason,
  erroredAt: failedAt,
})

export async function findFiles(db: Kysely<FilesDb>, fileIds: readonly string[]): Promise<FileSeen[]> {
  const { rows } = await sql<FileSeen>`
    select *, now() as seen_at from file where id = any(${fileIds}::uuid[]) and ${isLive} order by id`.execute(db)
  return rows
}

/** Retries a file as its owner could. A dry run only reports the file. */
export async function redriveFile(
  deps: RetryDeps,
  file: FileSeen,
  { isDryRun, signal }: { isDryRun: boolean; signal: AbortSignal },
): Promise<Outcome> {
  return isDryRun ? 'would_be_tried' : (await retryFile(deps, file, { signal })).outcome
}

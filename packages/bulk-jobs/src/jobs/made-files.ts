import { abortUpload } from '@tideport/file-lifecycle/removal/purge'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { alone } from '@tideport/file-lifecycle/state/writes'
import { createUpload, type NewUpload } from '@tideport/file-lifecycle/upload/create-upload'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { AccountJobRow } from './account-job.ts'
import type { JobDeps } from './job-kind.ts'

/** When an unconfirmed file of a job expires. */
const OPEN_SECONDS = 3600

/**
 * The last ten digits of the job's ID. IDs of files that a job creates, and places of files that it moves, end with
 * them.
 */
export const markOf = (job: Pick<AccountJobRow, 'id'>) => job.id.slice(-10)

const newIdOf = (mark: string) => uuidv7().slice(0, -mark.length) + mark

type Given = 'id' | 'accountId' | 'form' | 'expirySeconds' | 'settledAfterSeconds'

/** Creates a file of a job. The job stores the bytes. Null: the quota is exceeded. */
export async function beginFile(
  { db, settleSeconds }: JobDeps,
  job: AccountJobRow,
  file: Omit<NewUpload, Given>,
): Promise<FileRow | null> {
  const { accountId } = job
  const lives = { expirySeconds: OPEN_SECONDS, settledAfterSeconds: settleSeconds }
  const upload = await createUpload(alone(db), {
    ...file,
    ...lives,
    id: newIdOf(markOf(job)),
    accountId,
    form: 'direct',
  })
  if (upload !== null) return upload
  const { quotaBytes, sizeBytes } = file
  const { rows } = await sql`
    select from account where id = ${accountId} and ${quotaBytes}::bigint > 0
      and storage_bytes + ${sizeBytes}::bigint > ${quotaBytes}::bigint`.execute(db)
  if (rows.length > 0) return null
  throw new Error('A file of the job cannot be created now')
}

/** Best effort: an upload that is not aborted expires. */
export async function giveUp(
  { db, networks, settleSeconds, log }: JobDeps,
  { id: fileId, accountId }: Pick<FileRow, 'id' | 'accountId'>,
): Promise<void> {
  await abortUpload(db, { fileId, accountId }, { settleSeconds, networks }).catch((error: unknown) => {
    log.warn({ err: error, fileId }, 'could not abort an upload of a job; a periodic task aborts it')
  })
}

/** Aborts uploads that an earlier claim of the job left. */
export async function giveUpLeft(deps: JobDeps, job: AccountJobRow): Promise<void> {
  if (job.fencingToken <= 1) return
  const { rows } = await sql<Pick<FileRow, 'id' | 'accountId'>>`
    select id, account_id from file where ${isBegunBy(job)}`.execute(deps.db)
  for (const left of rows) await giveUp(deps, left)
}

/**
 * Lets the unfinished files of a finished job expire now instead of in an hour. Skips files that are locked, because a
 * live process handles them.
 */
export async function expireLeft(db: Kysely<FilesDb>, job: Pick<AccountJobRow, 'id' | 'accountId'>): Promise<void> {
  await sql`
    update file set upload_expires_at = now() where id = any (array(
      select id from file where ${isBegunBy(job)} and upload_expires_at > now() for update skip locked))`.execute(db)
}

function isBegunBy(job: Pick<AccountJobRow, 'id' | 'accountId'>): RawBuilder<unknown> {
  return sql`account_id = ${job.accountId} and status = 'uploading'
    and deleted_at is null and purging_at is null and right(id::text, 10) = ${markOf(job)}`
}

import { abortUpload } from '@tideport/file-lifecycle/removal/purge'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { alone } from '@tideport/file-lifecycle/state/writes'
import { createUpload, type NewUpload } from '@tideport/file-lifecycle/upload/create-upload'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { AccountJobRow } from './account-job.ts'
import type { JobDeps } from './advance-job.ts'

/** A file that a job has begun and never confirmed, as when it was cancelled, ends after so long. */
const OPEN_SECONDS = 3600

/** What a job makes has the last digits of its id in its own, by which it is known again. */
export const markOf = (job: Pick<AccountJobRow, 'id'>) => job.id.slice(-10)

const newIdOf = (mark: string) => uuidv7().slice(0, -mark.length) + mark

type Given = 'id' | 'accountId' | 'form' | 'expirySeconds' | 'settledAfterSeconds'

/** Begins a file of a job, whose bytes the job stores. Null: it does not fit into the quota of the account. */
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
  throw new Error('There is no room for a file of the job now')
}

/** Best effort: what is left of it ends with the time of the upload. */
export async function giveUp(
  { db, networks, settleSeconds, log }: JobDeps,
  { id: fileId, accountId }: Pick<FileRow, 'id' | 'accountId'>,
): Promise<void> {
  await abortUpload(db, { fileId, accountId }, { settleSeconds, networks }).catch((error: unknown) => {
    log.warn({ err: error, fileId }, 'upload of a job not aborted, left to the periodic task')
  })
}

/** Ends what an earlier claim of a job had begun to make when its process died. */
export async function giveUpLeft(deps: JobDeps, job: AccountJobRow): Promise<void> {
  if (job.fencingToken <= 1) return
  const { rows } = await sql<Pick<FileRow, 'id' | 'accountId'>>`
    select id, account_id from file where ${isBegunBy(job)}`.execute(deps.db)
  for (const left of rows) await giveUp(deps, left)
}

/**
 * Lets what a job that is over had begun to make end now, for the periodic task, in place of an hour later: its process may be dead.
 * One that lives has locked what it is about to confirm or to give up, and sees to that itself.
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

import { type Kysely, sql } from 'kysely'
import { isLive } from '../state/live-file.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'

const ACCOUNTS = 1000
const FILES = 200
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export interface ErrorFilter {
  /** With this code only. */
  errorCode?: string | undefined
  /** In error for so long at least. */
  olderThanSeconds?: number | undefined
}

/** Where a walk goes on. */
export interface ErrorPlace {
  accountId: string
  createdAt: string
  id: string
}

export type FileInError = FileRow & { seenAt: Date; place: ErrorPlace }

/**
 * All files in error that nobody threw away, account by account: there is an index of an account's files by status, and
 * none of everybody's. Each statement reads a bounded number of rows.
 */
export async function* filesInError(
  db: Kysely<FilesDb>,
  filter: ErrorFilter = {},
  after: ErrorPlace | null = null,
): AsyncGenerator<FileInError> {
  if (after) yield* ofAccount(db, filter, after)
  for await (const accountId of accountsWithErrors(db, after?.accountId ?? NIL_UUID)) {
    yield* ofAccount(db, filter, { accountId, createdAt: '-infinity', id: NIL_UUID })
  }
}

async function* accountsWithErrors(db: Kysely<FilesDb>, after: string): AsyncGenerator<string> {
  let last: string | undefined = after
  while (last !== undefined) {
    const rows = await accountsAfter(db, last)
    for (const { id, hasErrors } of rows) if (hasErrors) yield id
    last = rows.length === ACCOUNTS ? rows.at(-1)?.id : undefined
  }
}

async function accountsAfter(db: Kysely<FilesDb>, last: string): Promise<{ id: string; hasErrors: boolean }[]> {
  const { rows } = await sql<{ id: string; hasErrors: boolean }>`
    select id, exists (
      select from file where account_id = account.id and status = 'error' and deleted_at is null and purging_at is null
    ) as has_errors
    from (select id from account where id > ${last}::uuid order by id limit ${ACCOUNTS}) as account
    order by id`.execute(db)
  return rows
}

async function* ofAccount(db: Kysely<FilesDb>, filter: ErrorFilter, after: ErrorPlace): AsyncGenerator<FileInError> {
  let last: ErrorPlace | undefined = after
  while (last !== undefined) {
    const files = await filesAfter(db, filter, last)
    yield* files
    last = files.length === FILES ? files.at(-1)?.place : undefined
  }
}

async function filesAfter(
  db: Kysely<FilesDb>,
  { errorCode, olderThanSeconds = 0 }: ErrorFilter,
  { accountId, createdAt, id }: ErrorPlace,
): Promise<FileInError[]> {
  const hasCode = errorCode === undefined ? sql`true` : sql`error_code = ${errorCode}`
  const { rows } = await sql<FileRow & { seenAt: Date; placedAt: string }>`
    select *, now() as seen_at, created_at::text as placed_at from file
    where account_id = ${accountId}::uuid and status = 'error' and ${isLive} and ${hasCode}
      and errored_at <= now() - make_interval(secs => ${olderThanSeconds})
      and (created_at, id) > (${createdAt}::timestamptz, ${id}::uuid)
    order by created_at, id limit ${FILES}`.execute(db)
  return rows.map(({ placedAt, ...file }) => ({ ...file, place: { accountId, createdAt: placedAt, id: file.id } }))
}

import type { FileStatus } from '@tideport/contracts/public/files'
import { currentTrace } from '@tideport/service-kit/context/request-context'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { isLive } from './live-file.ts'
import type { FileRow, FilesDb } from './tables.ts'

export interface GuardedUpdate {
  /** The row as it was read: its version is the guard. */
  file: FileRow
  from: readonly FileStatus[]
  /**
   * The outcome of claimed work: also guarded by the fencing number, because whoever claimed the row since then is the
   * only one to write, and by the file being live, for nothing moves in the trash, nor in a vault that is in there.
   */
  byClaim: boolean
  /** This holds in the trash, too. */
  inTrashToo?: boolean
  /** Assignments, e.g. `status = 'hot', confirmed_at = now()`. */
  set: RawBuilder<unknown>
  /** A further condition on `file`. */
  where?: RawBuilder<unknown>
  /** The timeline entry; a type that starts with `file.` is published. Its payload may read the changed row. */
  event: { type: string; payload: RawBuilder<unknown> }
  /** Changes of the account's counters for the row in `changed`, e.g. `hot_bytes = account.hot_bytes + changed.size_bytes`. */
  usage?: RawBuilder<unknown>
  /** Somebody else may be at work for the row: the claim goes on. */
  keepsClaim?: boolean
}

/**
 * Changes one file and writes its event in one statement, so neither exists without the other. Ends any claim, unless told.
 * Answers the new row, or null when the guard failed: read again and decide anew.
 *
 * Counters come after the file row (file, then account): whoever inserts a file locks the account first, but a row
 * that nobody else can see yet closes no circle.
 */
export async function guardedUpdate(db: Kysely<FilesDb>, update: GuardedUpdate): Promise<FileRow | null> {
  const { file, event } = update
  const { requestId, traceparent } = currentTrace()
  const usage = update.usage
    ? sql`, usage as (update account set ${update.usage} from changed where account.id = changed.account_id)`
    : sql``
  const result = await sql<FileRow>`
    with changed as (
      update file
      set ${update.set}, version = version + 1, updated_at = now()
        ${update.keepsClaim ? sql`` : sql`, claimed_until = null, poison = 0`}
      where id = ${file.id} and version = ${file.version} and status = any(${update.from}) and purging_at is null
        ${update.byClaim ? sql`and claims = ${file.claims}` : sql``}
        ${update.byClaim && !update.inTrashToo ? sql`and ${isLive}` : sql``}
        ${update.where ? sql`and ${update.where}` : sql``}
      returning *
    ), event as (
      insert into file_event (id, file_id, account_id, type, payload, request_id, traceparent)
      select ${uuidv7()}::uuid, id, account_id, ${event.type}::text, ${event.payload}, ${requestId}::text, ${traceparent}::text
      from changed
    )${usage}
    select * from changed`.execute(db)
  return result.rows[0] ?? null
}

/** The body that webhooks get (spec §6), made of the changed row; absent fields are left out. */
export function eventPayload(type: string): RawBuilder<unknown> {
  return sql`jsonb_strip_nulls(jsonb_build_object(
    'event', ${type}::text,
    'timestamp', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'data', jsonb_build_object(
      'fileId', id, 'fileName', name, 'vaultId', vault_id, 'status', status, 'sizeBytes', size_bytes,
      'storageNetworkBlobId', blob_id, 'error', case when status = 'error' then error end)))`
}

/** A timeline entry of our own, e.g. why an attempt failed. */
export function timelinePayload(facts: Record<string, string | number | boolean | null>): RawBuilder<unknown> {
  return sql`${JSON.stringify(facts)}::jsonb`
}

import type { FileStatus } from '@tideport/contracts/public/files'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { appendEvents } from './append-event.ts'
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
  /** The timeline entry; what webhooks can subscribe to is published. Its payload may read the changed row. */
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
    ), told as (${appendEvents({ ...event, kind: 'file', from: sql`changed` })})${usage}
    select * from changed`.execute(db)
  return result.rows[0] ?? null
}

import type { FileStatus } from '@tideport/contracts/public/files'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { appendEvents } from './append-event.ts'
import { isLive } from './live-file.ts'
import type { CopyRow, FileRow, FilesDb } from './tables.ts'

export interface GuardedUpdate {
  /** The row as it was read: its version is the guard. */
  file: FileRow
  from: readonly FileStatus[]
  /** Assignments, e.g. `status = 'hot', confirmed_at = now()`; none when only copies change. */
  set?: RawBuilder<unknown>
  /**
   * `file`: the outcome of work under a claim of the file. Also guarded by its fencing token, because whoever claimed
   * the row since then is the only one to write; ends the claim.
   */
  byClaim?: 'file'
  /** Nothing moves in the trash, nor in a vault that is in there, but what keeps copies alive. */
  inTrashToo?: boolean
  /** Nor is a file that is being purged left out. */
  whilePurgedToo?: boolean
  /** A further condition on `file`. */
  where?: RawBuilder<unknown>
  /** All of them, or nothing at all. */
  copies?: readonly CopyChange[]
  /** Networks that the file is to be stored on, from now on or again. */
  plans?: readonly string[]
  /**
   * Timeline entries, in this order; what webhooks can subscribe to is published. Payloads may read the changed row.
   */
  events: readonly { type: string; payload: RawBuilder<unknown> }[]
  /**
   * Changes of the account's counters for the row in `changed`, e.g. `hot_bytes = account.hot_bytes +
   * changed.size_bytes`.
   */
  usage?: RawBuilder<unknown>
}

export interface CopyChange {
  copy: Pick<CopyRow, 'network' | 'fencingToken'>
  set: RawBuilder<unknown>
  /** Under a claim of this copy: guarded by its fencing token. The outcome of the work ends the claim. */
  byClaim?: 'ends' | 'goes_on'
}

const OVERTAKEN = 'TP001'

/**
 * Changes one file, any of its copies, and writes the events in one statement, so none exists without the others.
 * Returns the new row, or null when a guard failed: read again and decide anew.
 *
 * Rows are locked in the order file, account, copy. Whoever inserts a file locks the account first, but a row that
 * nobody else can see yet closes no circle.
 */
export async function guardedUpdate(db: Kysely<FilesDb>, update: GuardedUpdate): Promise<FileRow | null> {
  const { file, set, where, byClaim, copies = [], plans = [] } = update
  const guards = [
    sql`id = ${file.id} and version = ${file.version} and status = any(${update.from})`,
    ...(update.whilePurgedToo ? [] : [sql`purging_at is null`]),
    ...(byClaim ? [sql`fencing_token = ${file.fencingToken}`] : []),
    ...(update.inTrashToo || update.whilePurgedToo ? [] : [isLive]),
    ...(where ? [where] : []),
  ]
  const changes = [
    ...(set ? [set] : []),
    sql`version = version + 1, updated_at = now()`,
    ...(byClaim ? [sql`claimed_until = null, unfinished_claims = 0`] : []),
  ]
  const statement = sql<FileRow>`
    with changed as (
      update file set ${sql.join(changes)} where ${sql.join(guards, sql` and `)} returning *
    )${sql.join([...copies.map(changeCopy), ...planCopies(plans), ...update.events.map(tellEvent), ...countUsage(update)], sql``)}
    select changed.*${sql.join(
      copies.map((_, index) => sql`, must(exists (select from ${copyName(index)}))`),
      sql``,
    )}
    from changed`
  try {
    const [row] = (await statement.execute(db)).rows
    return row ? withoutMust(row) : null
  } catch (error) {
    if ((error as { code?: string }).code === OVERTAKEN) return null
    throw error
  }
}

const copyName = (index: number) => sql.ref(`copy_${index}`)

function changeCopy({ copy, set, byClaim }: CopyChange, index: number): RawBuilder<unknown> {
  return sql`, ${copyName(index)} as (
    update copy set ${set}${byClaim === 'ends' ? sql`, claimed_until = null, unfinished_claims = 0` : sql``}
    from changed where copy.file_id = changed.id and copy.network = ${copy.network}
      ${byClaim ? sql`and copy.fencing_token = ${copy.fencingToken}` : sql``}
    returning copy.network
  )`
}

/**
 * Plans a copy of each row of `changed` on these networks, as parts of a statement. One that was dropped is made anew
 * under a new reference, so that a late removal of the old one cannot touch it.
 */
export function planCopies(networks: readonly string[]): RawBuilder<unknown>[] {
  if (networks.length === 0) return []
  return [
    sql`, planned as (
      insert into copy (file_id, network, reference, state, due_at)
      select changed.id, wanted.network, changed.id || '_1', 'planned', now()
      from changed, unnest(${networks}::text[]) as wanted (network)
      on conflict (file_id, network) do update set state = 'planned', due_at = now(), attempt = 0, lost_at = null,
        reference = copy.file_id || '_' || (split_part(copy.reference, '_', 2)::integer + 1),
        blob_id = null, ref = '{}', stored_at = null, file_synced_at = null, proved_at = null, checked_at = null,
        leased_at = null, lease_expires_at = null, renew_due_at = null
    )`,
  ]
}

function tellEvent(event: GuardedUpdate['events'][number], index: number): RawBuilder<unknown> {
  return sql`, ${sql.ref(`event_${index}`)} as (${appendEvents({ ...event, kind: 'file', from: sql`changed` })})`
}

function countUsage({ usage }: GuardedUpdate): RawBuilder<unknown>[] {
  return usage ? [sql`, usage as (update account set ${usage} from changed where account.id = changed.account_id)`] : []
}

function withoutMust({ must: _, ...row }: FileRow & { must?: unknown }): FileRow {
  return row as FileRow
}

import type { FileStatus } from '@tideport/contracts/public/files'
import { type Cause, currentCause } from '@tideport/service-kit/context/request-context'
import { type Give, type Prepared, prepared } from '@tideport/service-kit/postgres/prepared'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { appendEvents, causeColumns } from './append-event.ts'
import { type AskedColumns, givenRows, holding, isLive, unawaited } from './queries.ts'
import type { AccountRow, CopyRow, FileRow, FilesDb } from './tables.ts'
import { askedPlaces, countReplaced, type PathTaking, replaceOccupants, stillWants } from './take-path.ts'
import type { Held } from './writes.ts'

/** A file as it was read, and the cause of the change. Its version guards the write. */
export interface Guarded {
  file: FileRow
  cause: Cause
  /** The place of a file that takes its path; unset: a new one. */
  placeId?: string | undefined
}

/** What a guarded update does to each file. Fragments may read `file`, or after the update the row of `changed`. */
export interface FileChange<Item> {
  from: readonly FileStatus[]
  /** Values that differ between items. All fragments can read them as columns with the prefix `given_`. */
  given?: Record<string, readonly [type: string, of: (item: Item) => unknown]>
  /** Unset when only copies change. */
  set?: Partial<Record<keyof FileRow, RawBuilder<unknown>>>
  /**
   * `file`: the outcome of work under a claim of the file, which ends with it. Also guarded by the fencing token,
   * because only the latest claim may write.
   */
  byClaim?: 'file'
  /** Also changes trashed files and files of trashed vaults. Only for changes that keep copies alive. */
  inTrashToo?: boolean
  /** Also changes files that are being purged. */
  whilePurgedToo?: boolean
  /** A further condition on `file`. */
  where?: RawBuilder<unknown>
  /** The file takes its path from the file there, or is refused. */
  takesPath?: PathTaking
  /** The commit does not wait for the disk, because nobody learns of the change before a later one (ADR 0037). */
  isUnawaited?: boolean
  /** If one copy cannot be changed, the file is not changed. */
  copies?: readonly CopyChange<Item>[]
  /** Networks on which the statement plans a copy. */
  plans?: readonly string[]
  /**
   * Timeline entries, in this order. Types that webhooks can subscribe to are published. `payload` may read the changed
   * row, and so may `where`, the condition for the entry.
   */
  events: readonly { type: string; payload: RawBuilder<unknown>; where?: RawBuilder<unknown> }[]
  /** What a row of `changed` adds to the account's counters. */
  usage?: Partial<Record<'hotBytes' | 'openUploads' | 'filesAdded' | 'bytesAdded', RawBuilder<unknown>>>
}

export interface CopyChange<Item> {
  network: string
  set: RawBuilder<unknown>
  /** For work under a claim of this copy: its fencing token guards the write. */
  claimOf?: (item: Item) => Pick<CopyRow, 'fencingToken'>
  /** The write ends the claim. */
  endsClaim?: boolean
}

/** Changes files, and returns the changed columns of each. */
export type ChangeStatement<Item> = Prepared<readonly Item[], Partial<FileRow> & Pick<FileRow, 'id'>>

/**
 * Changes any number of files by their statement. Returns the new rows in the same order, or null where a guard failed.
 * The caller then reads the row and decides again.
 */
export async function guardedUpdates<Item extends Guarded>(
  db: Kysely<FilesDb>,
  items: readonly Item[],
  statement: ChangeStatement<Item>,
): Promise<(FileRow | null)[]> {
  const rows = await statement.execute(db, items)
  const changed = new Map(rows.map((row) => [row.id, row]))
  return items.map(({ file }) => {
    const own = changed.get(file.id)
    // Only one of two requests for the same file has made the change.
    changed.delete(file.id)
    // The version guarantees that all other columns are unchanged.
    return own ? { ...file, ...own } : null
  })
}

/**
 * Changes any number of files, each with copies and events, in one statement, so none exists without the others.
 *
 * Locks rows in the order file, copy, account, and files and accounts by ID. Vaults come last. The insert of a file
 * locks the account first, which cannot cause a deadlock, because no other transaction sees the new row yet.
 */
export function changeStatement<Item extends Guarded>(change: FileChange<Item>, held: Held): ChangeStatement<Item> {
  return prepared((given) => statementOf(change, held, given))
}

function statementOf<Item extends Guarded>(change: FileChange<Item>, held: Held, give: Give<readonly Item[]>) {
  const { copies = [], plans = [], events, takesPath, isUnawaited = false } = change
  const assigned = assignmentsOf(change)
  const given = Object.keys(change.given ?? {}).map((name) => sql.ref(`given_${name}`))
  const paid = change.usage ? sql`chosen join free on free.account = chosen_account` : sql`chosen`
  const brought = sql.join([sql`request_id, traceparent, actor, client_address`, ...given])
  return sql<Partial<FileRow> & Pick<FileRow, 'id'>>`
    with asked as materialized (
      select * from (${givenRows(give, askedColumns(change))}) as asked order by asked_id
    )${takesPath ? askedPlaces(takesPath, held) : sql``}, chosen as materialized (
      select asked.*, file.account_id as chosen_account
      from ${takesPath ? sql`placed as asked` : sql`asked`} cross join lateral (
        select * from file where file.id = asked_id and file.version = asked_version limit 1 ${holding(held)}
      ) as file${sql.join(
        copies.map((copy, index) => claimedCopy(copy, index, held)),
        sql``,
      )}
      where ${sql.join(guardsOf(change), sql` and `)}
    )${freeAccounts(change, held)}${takesPath ? replaceOccupants(takesPath, { paid, eventId: newId(give) }) : sql``}, changed as (
      update file set ${sql.join(Object.entries(assigned).map(([column, value]) => sql`${sql.id(column)} = ${value}`))}
      from ${paid}${takesPath ? sql` cross join made_room` : sql``}${isUnawaited ? sql` cross join ${unawaited(sql`true`)}` : sql``}
      where file.id = asked_id
      returning file.*, ${brought}
    )${sql.join([...copies.map(changeCopy), ...planCopies(plans), ...events.map((event, index) => tellEvent(event, index, newId(give))), ...countUsage(change), ...(takesPath ? [countReplaced(takesPath)] : [])], sql``)}
    select id, ${sql.join(Object.keys(assigned).map((column) => sql.id(column)))} from changed`
}

const newId = <Item>(give: Give<Item>) => give(() => uuidv7())

/** Changes one file with its copies and events. Waits for a locked row. Null: a guard failed, so read again. */
export async function guardedUpdate(
  db: Kysely<FilesDb>,
  { file, ...change }: FileChange<Guarded> & { file: FileRow },
): Promise<FileRow | null> {
  const [changed] = await guardedUpdates(
    db,
    [{ file, cause: currentCause() }],
    changeStatement(change, { unlessHeld: false }),
  )
  return changed ?? null
}

function askedColumns<Item extends Guarded>(change: FileChange<Item>): AskedColumns<Item> {
  const tokens = (change.copies ?? []).flatMap(({ claimOf }, index) =>
    claimOf ? [[`copy_token_${index}`, ['bigint', (item: Item) => claimOf(item).fencingToken]] as const] : [],
  )
  const given = Object.entries(change.given ?? {}).map(([name, column]) => [`given_${name}`, column] as const)
  return {
    asked_id: ['uuid', ({ file }) => file.id],
    asked_version: ['integer', ({ file }) => file.version],
    request_id: ['text', ({ cause }) => cause.requestId],
    traceparent: ['text', ({ cause }) => cause.traceparent],
    actor: ['jsonb', ({ cause }) => causeColumns(cause).actor],
    client_address: ['text', ({ cause }) => causeColumns(cause).clientAddress],
    ...(change.byClaim && { file_token: ['bigint', ({ file }: Item) => file.fencingToken] as const }),
    ...(change.takesPath && { given_place: ['uuid', ({ placeId }: Item) => placeId ?? uuidv7()] as const }),
    ...Object.fromEntries([...tokens, ...given]),
  }
}

function assignmentsOf<Item>({ set = {}, byClaim, takesPath }: FileChange<Item>): Record<string, RawBuilder<unknown>> {
  return {
    ...set,
    ...(takesPath && { placeId: sql`given_place`, replaces: sql`occupant_id`, replacedBy: sql`null` }),
    version: sql`file.version + 1`,
    updatedAt: sql`now()`,
    ...(byClaim && { claimedUntil: sql`null`, unfinishedClaims: sql`0` }),
  }
}

function guardsOf<Item>({
  from,
  byClaim,
  inTrashToo,
  whilePurgedToo,
  where,
  takesPath,
}: FileChange<Item>): RawBuilder<unknown>[] {
  return [
    sql`file.status = any(${from})`,
    ...(whilePurgedToo ? [] : [inTrashToo ? sql`file.purging_at is null` : isLive]),
    ...(byClaim ? [sql`file.fencing_token = file_token`] : []),
    ...(where ? [where] : []),
    ...(takesPath ? [stillWants(takesPath)] : []),
  ]
}

const copyName = (index: number) => sql.ref(`copy_${index}`)

/** Joins and locks the copy, if the caller still has its claim. */
function claimedCopy<Item>({ network, claimOf }: CopyChange<Item>, index: number, held: Held): RawBuilder<unknown> {
  return sql` cross join lateral (
    select from copy where copy.file_id = asked_id and copy.network = ${network}
      ${claimOf ? sql`and copy.fencing_token = ${sql.ref(`copy_token_${index}`)}` : sql``}
    limit 1 ${holding(held)}
  ) as ${copyName(index)}`
}

function changeCopy<Item>({ network, set, endsClaim }: CopyChange<Item>, index: number): RawBuilder<unknown> {
  return sql`, ${copyName(index)} as (
    update copy set ${set}${endsClaim ? sql`, claimed_until = null, unfinished_claims = 0` : sql``}
    from changed where copy.file_id = changed.id and copy.network = ${network}
  )`
}

/**
 * Plans a copy of each row of `changed` on these networks, as parts of a statement. A dropped copy is re-created under
 * a new reference, so a late removal of the old copy cannot delete it.
 */
function planCopies(networks: readonly string[]): RawBuilder<unknown>[] {
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

function tellEvent(
  { type, payload, where }: FileChange<never>['events'][number],
  index: number,
  id: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const from = where ? sql`changed where ${where}` : sql`changed`
  return sql`, ${sql.ref(`event_${index}`)} as (${appendEvents({ kind: 'file', type, payload, from, cause: 'of_rows', id })})`
}

/** Locks the rows of the accounts whose counters change, before any change. */
function freeAccounts<Item>({ usage }: FileChange<Item>, held: Held): RawBuilder<unknown> {
  if (usage === undefined) return sql``
  return sql`, free as materialized (
    select id as account from account where id in (select chosen_account from chosen) order by id ${holding(held)}
  )`
}

function countUsage<Item>({ usage }: FileChange<Item>): RawBuilder<unknown>[] {
  if (usage === undefined) return []
  const counters = Object.entries(usage) as [keyof AccountRow, RawBuilder<unknown>][]
  const sums = counters.map(([counter, gained]) => sql`sum(${gained}) as ${sql.id(counter)}`)
  const sets = counters.map(
    ([counter]) => sql`${sql.id(counter)} = account.${sql.id(counter)} + gained.${sql.id(counter)}`,
  )
  return [
    sql`, counted as (
      update account set ${sql.join(sets)}
      from (select account_id, ${sql.join(sums)} from changed group by account_id) as gained
      where account.id = gained.account_id
    )`,
  ]
}

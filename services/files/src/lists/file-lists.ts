import { isLive } from '@tideport/file-lifecycle/state/live-file'
import { isBelow } from '@tideport/file-lifecycle/state/path-range'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { validate as isUuid } from 'uuid'
import { beginsWith, conditionsOf, type Filters, readType, storedType, wasCreated } from './file-filters.ts'
import type { ListOrder } from './list-page.ts'
import { LANES_MAX, type Lane, type Walk } from './walk-files.ts'

/** A list of files, and the ways there are into it. */
export interface FileList extends Walk {
  accountId: string
  /** Conditions that the list's files meet and an index serves: where few do, the list is among these. */
  narrow: RawBuilder<unknown>[]
  /** What the files are labelled with, as the index of labels has it. */
  labels: string[]
}

type Sorted = Pick<ListOrder, 'sortBy'> & {
  /** The vaults that whoever asks sees; null: all. */
  within: readonly string[] | null
  /** What the paths that it sees begin with; null: all. */
  prefixes: readonly string[] | null
}

/** What the indexes of lists hold. */
const isKept = sql`deleted_at is null and purging_at is null`

/** The account's files that nobody threw away. */
export async function liveFiles(db: Kysely<FilesDb>, accountId: string, filters: Filters & Sorted): Promise<FileList> {
  const { vaultId, prefix, tag, meta, within, prefixes, ...others } = filters
  const ofVault = [...conditionsOf({ vaultId, prefix }), ...seen(filters)]
  const ofAccount = conditionsOf(others)
  const labelled = conditionsOf({ tag, meta })
  const placed = seenPaths(filters)
  return {
    accountId,
    lanes: [await keptLane(db, accountId, filters)],
    isWanted: sql.join(
      [sql`account_id = ${accountId}`, isLive, ...ofVault, ...placed, ...ofAccount, ...labelled],
      sql` and `,
    ),
    narrow: [
      ...(ofVault.length > 0 ? [sql.join([isKept, ...ofVault, ...placed], sql` and `)] : []),
      ...ofAccount.map((condition) => sql`account_id = ${accountId} and ${isKept} and ${condition}`),
    ],
    labels: labelsOf(filters),
  }
}

/** As `keep_file_label` writes them. */
function labelsOf({ tag = [], meta = {} }: Filters): string[] {
  return [...tag.map((word) => `=${word}`), ...Object.entries(meta).map((pair) => pair.join('='))]
}

/** The account's files in the trash: those thrown away by themselves, and the confirmed ones of vaults that were. */
export async function trashedFiles(
  db: Kysely<FilesDb>,
  accountId: string,
  filters: Filters & Sorted,
): Promise<FileList> {
  const inTrash = sql`account_id = ${accountId} and deleted_at is not null and purging_at is null`
  const inOrder = timesOf(filters)
  const vaults = await findVaults(db, inTrash)
  const isTrashed = sql`purging_at is null and (
    select vault.purging_at is null
      and (file.deleted_at is not null or vault.deleted_at is not null and file.status <> 'uploading')
    from vault where vault.id = file.vault_id)`
  const ofVault = (column: string) => sql`(select vault.${sql.raw(column)} from vault where vault.id = file.vault_id)`
  return {
    accountId,
    lanes: [{ where: sql`${inTrash} and ${inOrder}` }, keptOf(accountId, vaults, inOrder)],
    isWanted: sql.join(
      [sql`account_id = ${accountId}`, isTrashed, ...conditionsOf(filters), ...seen(filters), ...seenPaths(filters)],
      sql` and `,
    ),
    columns: sql`, coalesce(deleted_at, ${ofVault('deleted_at')}) as trashed_at,
      case when deleted_at is null then ${ofVault('purge_due_at')} else purge_due_at end as restorable_until`,
    narrow: [],
    labels: [],
  }
}

/** Whether an index has the list of kept files with these filters, in its order: each page is read as it is. */
export function isServed({ sortBy, vaultId, within, prefixes, ...others }: Filters & Sorted): boolean {
  if (labelsOf(others).length > 0 || prefixes !== null || others.awaitingReview === false) return false
  const { createdAfter, createdBefore, ...unordered } = others
  const { prefix, ...unplaced } = others
  const inOrder = { createdAt: unordered, name: others, path: unplaced }
  const filters = Object.values(inOrder[sortBy]).filter((filter) => filter !== undefined)
  if (vaultId !== undefined || within !== null) return filters.length === 0
  return filters.length === 0 || (sortBy === 'createdAt' && filters.length === 1)
}

/** By the filter that has an index in this order and leaves least. Most files of an old account are cold. */
async function keptLane(db: Kysely<FilesDb>, accountId: string, filters: Filters & Sorted): Promise<Lane> {
  const { vaultId, status, mimeType, awaitingReview, sortBy, within } = filters
  const inOrder = timesOf(filters)
  const ofAccount = sql`account_id = ${accountId} and ${isKept} and ${inOrder}`
  if (sortBy === 'createdAt') {
    if (awaitingReview) return { where: sql`${ofAccount} and awaiting_review` }
    const types = mimeType === undefined ? null : await findTypes(db, accountId, mimeType)
    if (types) return eachOf(types, sql`text`, (type) => sql`${ofAccount} and ${storedType} = ${type}`)
    const isRare = status !== undefined && !status.includes('cold')
    if (status && (isRare || vaultId === undefined)) {
      return eachOf(status, sql`text`, (one) => sql`${ofAccount} and status = ${one}`)
    }
  }
  if (vaultId !== undefined) return keptOf(accountId, isUuid(vaultId) ? [vaultId] : [], inOrder)
  if (within !== null) return keptOf(accountId, [...within], inOrder)
  // Files of a vault in the trash, a million perhaps, would have to be passed on the way to the others.
  const { rows: trashed } = await sql`
    select from vault where account_id = ${accountId} and deleted_at is not null limit 1`.execute(db)
  const isKeptVault = sql`account_id = ${accountId} and deleted_at is null`
  return keptOf(accountId, trashed.length > 0 ? await findVaults(db, isKeptVault) : null, inOrder)
}

/** A vault that is not seen has no files. */
function seen({ within }: Sorted): RawBuilder<unknown>[] {
  return within === null ? [] : [sql`vault_id = any(${within}::uuid[])`]
}

/** Condition on `kept_folder`: which are told by a list with these filters. A folder in which nothing is fits no filter. */
export function foldersSeen(filters: Filters & Sorted, q: string | undefined): RawBuilder<unknown> {
  const { vaultId: _, prefix: __, sortBy: ___, within: ____, prefixes: _____, ...others } = filters
  const isFiltered = [q, ...Object.values(others)].some((filter) => filter !== undefined)
  return isFiltered ? sql`false` : sql.join([sql`true`, ...seenPaths(filters)], sql` and `)
}

function seenPaths({ prefixes }: Sorted): RawBuilder<unknown>[] {
  return prefixes === null
    ? []
    : [
        sql`(${sql.join(
          prefixes.map((prefix) => sql`(${isBelow(prefix)})`),
          sql` or `,
        )})`,
      ]
}

function timesOf(filters: Filters & Sorted): RawBuilder<unknown> {
  if (filters.sortBy === 'path') return filters.prefix === undefined ? sql`true` : isBelow(filters.prefix)
  return filters.sortBy === 'createdAt' ? wasCreated(filters) : sql`true`
}

/** Files of these vaults; null: of all vaults of the account. */
function keptOf(accountId: string, vaults: string[] | null, inOrder: RawBuilder<unknown>): Lane {
  const where = sql`${isKept} and ${inOrder}`
  if (vaults === null) return { where: sql`account_id = ${accountId} and ${where}` }
  return eachOf(vaults, sql`uuid`, (vault) => sql`vault_id = ${vault} and ${where}`)
}

function eachOf(
  values: string[],
  type: RawBuilder<unknown>,
  where: (value: RawBuilder<unknown>) => RawBuilder<unknown>,
): Lane {
  // Planned once for all, as one of several is not.
  if (values.length === 1) return { where: where(sql`${values[0]}`) }
  return {
    where: where(sql`lane.value`),
    each: { of: sql`unnest(${values}::${type}[]) as lane (value)`, count: values.length },
  }
}

/** Null when they are more than are read side by side. */
async function findVaults(db: Kysely<FilesDb>, which: RawBuilder<unknown>): Promise<string[] | null> {
  const { rows } = await sql<{ id: string }>`select id from vault where ${which} limit ${LANES_MAX + 1}`.execute(db)
  return rows.length > LANES_MAX ? null : rows.map(({ id }) => id)
}

/**
 * The types an account has that are asked for, found from one to the next. Null when they are more than side by side.
 */
async function findTypes(db: Kysely<FilesDb>, accountId: string, mimeType: string): Promise<string[] | null> {
  const asked = readType(mimeType)
  if ('type' in asked) return [asked.type]
  const first = (which: RawBuilder<unknown>) => sql`
    select ${storedType} as type from file
    where account_id = ${accountId} and ${isKept} and ${beginsWith(asked.prefix)} and ${which}
    order by ${storedType} limit 1`
  const { rows } = await sql<{ type: string }>`
    with recursive found as (
      (${first(sql`true`)})
      union all
      select next.type from found cross join lateral (${first(sql`${storedType} > found.type`)}) as next
    )
    select type from found limit ${LANES_MAX + 1}`.execute(db)
  return rows.length > LANES_MAX ? null : rows.map(({ type }) => type)
}

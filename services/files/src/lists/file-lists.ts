import { isBelowAny } from '@tideport/bulk-jobs/operations/operation'
import { isBelow, isLive } from '@tideport/file-lifecycle/state/queries'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import {
  isIn,
  isInVaultOf,
  liveVaultOf,
  type SeenVault,
  type Sight,
  seenVaults,
  vaultOf,
} from '../lookups/authorized-vault.ts'
import { LANES_MAX, type Lane, ROWS_MAX, type Walk } from './bounded-scan.ts'
import { beginsWith, conditionsOf, type Filters, readType, storedType, wasCreated } from './file-filters.ts'
import type { ListOrder } from './list-page.ts'

export interface FileList extends Walk {
  accountId: string
  /**
   * Indexed conditions that all files of the list meet. If one of them matches few files, the list is read from these.
   */
  narrow: RawBuilder<unknown>[]
  /** The labels of the filter, in the form of the label index. */
  labels: string[]
  /** The caller may access only a part of the account. */
  isConfined: boolean
}

interface Asked {
  sight: Sight
  filters: Filters & Pick<ListOrder, 'sortBy'>
}

/** The condition of the list indexes. */
const isKept = sql`deleted_at is null and purging_at is null`

/** The account's files outside the trash. */
export async function liveFiles(db: Kysely<FilesDb>, { sight, filters }: Asked): Promise<FileList> {
  const { accountId } = sight
  const { vaultId, prefix: _, tag, meta, ...others } = filters
  const ofVault = vaultId === undefined ? ofVaultsSeen(sight) : [isIn(liveVaultOf(sight, vaultId))]
  const placed = [...ofVault, ...pathsOf(sight, filters)]
  const ofAccount = conditionsOf(others)
  return {
    accountId,
    isConfined: isConfined(sight),
    lanes: await keptLanes(db, { sight, filters }),
    isWanted: sql.join(
      [sql`account_id = ${accountId}`, isLive, ...placed, ...ofAccount, ...conditionsOf({ tag, meta })],
      sql` and `,
    ),
    narrow: [
      ...(ofVault.length > 0 ? [sql.join([isKept, ...placed], sql` and `)] : []),
      ...ofAccount.map((condition) => sql`account_id = ${accountId} and ${isKept} and ${condition}`),
    ],
    labels: labelsOf(filters),
  }
}

/** Labels in the form that `keep_file_label` writes. */
function labelsOf({ tag = [], meta = {} }: Filters): string[] {
  return [...tag.map((word) => `=${word}`), ...Object.entries(meta).map((pair) => pair.join('='))]
}

/** The account's files in the trash: individually trashed files, and confirmed files of trashed vaults. */
export async function trashedFiles(db: Kysely<FilesDb>, { sight, filters }: Asked): Promise<FileList> {
  const { accountId } = sight
  const { vaultId, prefix: _, ...others } = filters
  const ofVault = vaultId === undefined ? ofVaultsSeen(sight) : [isIn(vaultOf(sight, vaultId))]
  const inTrash = sql`account_id = ${accountId} and deleted_at is not null and purging_at is null`
  const inOrder = timesOf(filters)
  const vaults = await findVaults(db, sight, sql`deleted_at is not null and purging_at is null`)
  const isTrashed = sql`purging_at is null and (
    select vault.purging_at is null
      and (file.deleted_at is not null or vault.deleted_at is not null and file.status <> 'uploading')
    from vault where vault.id = file.vault_id)`
  const inVault = (column: string) => sql`(select vault.${sql.raw(column)} from vault where vault.id = file.vault_id)`
  const wanted = [...ofVault, ...pathsOf(sight, filters), ...conditionsOf(others)]
  return {
    accountId,
    isConfined: isConfined(sight),
    lanes: [{ where: sql`${inTrash} and ${inOrder}` }, keptOf(accountId, vaults, inOrder)],
    isWanted: sql.join([sql`account_id = ${accountId}`, isTrashed, ...wanted], sql` and `),
    columns: sql`, coalesce(deleted_at, ${inVault('deleted_at')}) as trashed_at,
      case when deleted_at is null then ${inVault('purge_due_at')} else purge_due_at end as restorable_until`,
    narrow: isConfined(sight) && vaults !== null ? [isAmong([inTrash, ofTrashed(vaults)], wanted)] : [],
    labels: [],
  }
}

const ofTrashed = (vaults: readonly { id: string }[]) =>
  sql`vault_id = any(${vaults.map(({ id }) => id)}::uuid[]) and ${isKept}`

/** Condition on `file`: the file matches the filters and belongs to one of the parts, each of which has an index. */
function isAmong(parts: RawBuilder<unknown>[], wanted: RawBuilder<unknown>[]): RawBuilder<unknown> {
  const each = parts.map(
    (part) => sql`(
    select file.id from file where ${sql.join([part, ...wanted], sql` and `)} limit ${sql.lit(ROWS_MAX + 1)})`,
  )
  return sql`id in (${sql.join(each, sql` union all `)})`
}

/** Whether one index contains exactly this list in its order, so that pages need no filtering. */
export function isServed({ sight, filters: { sortBy, vaultId, ...others } }: Asked): boolean {
  if (labelsOf(others).length > 0 || sight.prefixes !== null || others.awaitingReview === false) return false
  if (others.mimeType?.includes(';')) return false
  const { createdAfter, createdBefore, ...unordered } = others
  const { prefix, ...unplaced } = others
  const inOrder = { createdAt: unordered, name: others, path: unplaced }
  const filters = Object.values(inOrder[sortBy]).filter((filter) => filter !== undefined)
  if (vaultId !== undefined || sight.vaultIds !== null) return filters.length === 0
  return filters.length === 0 || (sortBy === 'createdAt' && filters.length === 1)
}

/** Selects the indexed filter that leaves the fewest files in this order. Most files of an old account are cold. */
async function keptLanes(db: Kysely<FilesDb>, { sight, filters }: Asked): Promise<Lane[]> {
  const { accountId } = sight
  const { vaultId, status, mimeType, awaitingReview, sortBy } = filters
  const inOrder = timesOf(filters)
  const ofAccount = sql`account_id = ${accountId} and ${isKept} and ${inOrder}`
  if (sortBy === 'createdAt' && !isConfined(sight)) {
    if (awaitingReview) return [{ where: sql`${ofAccount} and awaiting_review` }]
    const types = mimeType === undefined ? null : await findTypes(db, accountId, mimeType)
    if (types) return [eachOf(types, sql`text`, (type) => sql`${ofAccount} and ${storedType} = ${type}`)]
    const isRare = status !== undefined && !status.includes('cold')
    if (status && (isRare || vaultId === undefined)) {
      return [eachOf(status, sql`text`, (one) => sql`${ofAccount} and status = ${one}`)]
    }
  }
  if (vaultId !== undefined) {
    const ofVault = sql`${isIn(liveVaultOf(sight, vaultId))} and ${isKept}`
    if (sortBy !== 'path') return [{ where: sql`${ofVault} and ${inOrder}` }]
    const below = seenBelow(sight, filters) ?? ['']
    if (below.length === 0) return [{ where: sql`false` }]
    return below.map((prefix) => ({ where: sql`${ofVault} and ${isBelow(prefix)}` }))
  }
  if (sight.vaultIds !== null) return [keptOf(accountId, await findVaults(db, sight, isKeptVault), inOrder)]
  // Without lanes per vault, the query would have to skip all files of trashed vaults, possibly a million.
  const { rows: trashed } = await sql`
    select from vault where account_id = ${accountId} and deleted_at is not null limit 1`.execute(db)
  return [keptOf(accountId, trashed.length > 0 ? await findVaults(db, sight, isKeptVault) : null, inOrder)]
}

const isKeptVault = sql`deleted_at is null`

/** Condition on `kept_folder`: the folders of a list with these filters. An empty folder matches no filter. */
export function foldersSeen({ sight, filters }: Asked, q: string | undefined): RawBuilder<unknown> {
  const { vaultId: _, prefix: __, sortBy: ___, ...others } = filters
  const isFiltered = [q, ...Object.values(others)].some((filter) => filter !== undefined)
  return isFiltered ? sql`false` : isBelowAny(sight.prefixes)
}

const isConfined = ({ vaultIds, prefixes }: Sight) => vaultIds !== null || prefixes !== null

const ofVaultsSeen = (sight: Sight) => (isConfined(sight) ? [isInVaultOf(sight)] : [])

/** Conditions on `file` as ranges of the path index: below the prefix, and within the caller's limits. */
function pathsOf(sight: Sight, filters: Filters): RawBuilder<unknown>[] {
  const below = seenBelow(sight, filters)
  if (below === null) return []
  if (below.length === 0) return [sql`false`]
  return [sql`(${sql.join(below.map((prefix) => sql`(${isBelow(prefix)})`), sql` or `)})`] // biome-ignore format: one condition
}

/**
 * The prefixes below the list's prefix that the caller may access, without overlaps. Null: all. No query reads outside
 * of them.
 */
export function seenBelow({ prefixes }: Pick<Sight, 'prefixes'>, { prefix }: Filters): readonly string[] | null {
  if (prefixes === null) return prefix === undefined ? null : [prefix]
  const wanted = prefix ?? ''
  const common = prefixes.flatMap((seen) =>
    wanted.startsWith(seen) ? [wanted] : seen.startsWith(wanted) ? [seen] : [],
  )
  return [...new Set(common)].filter((one, _, all) => !all.some((other) => other !== one && one.startsWith(other)))
}

function timesOf(filters: Filters & Pick<ListOrder, 'sortBy'>): RawBuilder<unknown> {
  if (filters.sortBy === 'path') return filters.prefix === undefined ? sql`true` : isBelow(filters.prefix)
  return filters.sortBy === 'createdAt' ? wasCreated(filters) : sql`true`
}

/** Files of these vaults. Null: all vaults of the account. */
function keptOf(
  accountId: string,
  vaults: readonly (SeenVault & { id: string })[] | null,
  inOrder: RawBuilder<unknown>,
): Lane {
  const where = sql`${isKept} and ${inOrder}`
  if (vaults === null) return { where: sql`account_id = ${accountId} and ${where}` }
  const ids = vaults.map(({ id }) => id)
  return eachOf(ids, sql`uuid`, (id) => sql`vault_id = ${id} and ${where}`)
}

function eachOf(
  values: string[],
  type: RawBuilder<unknown>,
  where: (value: RawBuilder<unknown>) => RawBuilder<unknown>,
): Lane {
  // A single value has a generic plan, but an array of values does not.
  if (values.length === 1) return { where: where(sql`${values[0]}`) }
  return {
    where: where(sql`lane.value`),
    each: { of: sql`unnest(${values}::${type}[]) as lane (value)`, count: values.length },
  }
}

/** Null for more vaults than are read in parallel. */
const findVaults = (db: Kysely<FilesDb>, sight: Sight, which: RawBuilder<unknown>) =>
  seenVaults(db, { sight, which, max: LANES_MAX })

/** Null for more types than are read in parallel. */
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

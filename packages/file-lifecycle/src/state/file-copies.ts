import { camelCase } from '@tideport/service-kit/config/config'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { CLAIM_SECONDS } from './state.ts'
import type { CopyRow, FileRow, FilesDb } from './tables.ts'

export interface NetworkNames {
  /** In order of preference. */
  readonly required: readonly string[]
  /** All configured networks in order of preference. */
  readonly order: readonly string[]
}

/** A change of a copy's state changes the version of its file, so the version guards both. */
export interface FileCopies {
  file: FileRow
  copies: readonly CopyRow[]
}

/** Read after the file's row, so a guard on the row's version covers both. */
export async function readCopies(db: Kysely<FilesDb>, fileId: string): Promise<CopyRow[]> {
  return await db.selectFrom('copy').selectAll().where('fileId', '=', fileId).orderBy('network').execute()
}

export async function withCopies(db: Kysely<FilesDb>, file: FileRow): Promise<FileCopies> {
  return { file, copies: await readCopies(db, file.id) }
}

export function copyOn({ copies }: FileCopies, network: string): CopyRow | undefined {
  return copies.find((copy) => copy.network === network)
}

/** Whether the network has the bytes, according to the row. In SQL: `holdsBytesIn`. */
export function holdsBytes({ state, storedAt, lostAt }: Pick<CopyRow, 'state' | 'storedAt' | 'lostAt'>): boolean {
  return state === 'stored' || state === 'proved' || (state === 'dropping' && storedAt !== null && lostAt === null)
}

/** Whether another place has the bytes. */
export function hasOtherSource({ file, copies, copy }: FileCopies & { copy: CopyRow }): boolean {
  return file.hotKey !== null || copies.some((one) => one.network !== copy.network && holdsBytes(one))
}

/** `holdsBytes` in SQL, for rows of `copy`. */
export const holdsBytesIn = sql`(copy.state in ('stored', 'proved')
  or (copy.state = 'dropping' and copy.stored_at is not null and copy.lost_at is null))`

const READABLE = ['proved', 'stored', 'dropping']

/**
 * Where to read, best first: required networks, then proved before stored before dropping, then in the order of the
 * networks.
 */
export function readableCopies(copies: readonly CopyRow[], { required, order }: NetworkNames): NamedCopy[] {
  const rank = ({ network, state }: CopyRow) =>
    (required.includes(network) ? 0 : READABLE.length) + READABLE.indexOf(state)
  return copies
    .filter((copy) => isNamed(copy))
    .filter(holdsBytes)
    .toSorted((a, b) => rank(a) - rank(b) || place(order, a) - place(order, b))
}

/** Sources of a further copy: the readable ones, then copies that may exist contrary to their rows. */
export function possibleSources(copies: readonly CopyRow[], names: NetworkNames): NamedCopy[] {
  const others = copies.filter((copy) => isNamed(copy)).filter((copy) => !holdsBytes(copy) && copy.state !== 'dropped')
  return [...readableCopies(copies, names), ...others]
}

/** The blob ID that users see: that of the most preferred stored or proved copy. In SQL: `blobIdIn`. */
export function blobIdOf(copies: readonly CopyRow[], order: readonly string[]): string | null {
  const held = copies.filter(({ state }) => state === 'stored' || state === 'proved')
  return held.toSorted((a, b) => place(order, a) - place(order, b))[0]?.blobId ?? null
}

/** `blobIdOf` in SQL for rows of `changed`, whose copies the statement does not change. */
export function blobIdIn({ order }: Pick<NetworkNames, 'order'>): RawBuilder<string | null> {
  return sql`(select copy.blob_id from copy where copy.file_id = changed.id and copy.state in ('stored', 'proved')
    order by array_position(${order}::text[], copy.network) limit 1)`
}

export type NamedCopy = CopyRow & { blobId: string }

/** Whether the network may have something under its reference. */
export function isNamed(copy: CopyRow): copy is NamedCopy {
  return copy.blobId !== null
}

function place(order: readonly string[], { network }: CopyRow): number {
  return order.includes(network) ? order.indexOf(network) : order.length
}

/** Each required network has a proved copy with enough lease. A guard of eviction. */
export function isComplete(required: readonly string[]) {
  return sql`not exists (
    select from unnest(${required}::text[]) as wanted (network) where not exists (
      select from copy where copy.file_id = file.id and copy.network = wanted.network and copy.state = 'proved'
        and (lease_expires_at is null
          or lease_expires_at - now() > ${leaseMargin(sql`lease_expires_at - leased_at`)})))`
}

/** `seenAt`: the database's time. */
export interface SeenCopies extends FileCopies {
  seenAt: Date
}

/** A row that a statement read with `copiesOfFile`. */
export type FileWithJson<More = unknown> = FileRow & { copies: JsonRow[] } & More

export type JsonRow = Record<string, unknown>

/** The copies of the row `file`, from the same snapshot, so its version guards both. */
export const copiesOfFile: RawBuilder<JsonRow[]> = sql`(
  select coalesce(jsonb_agg(to_jsonb(copy) order by copy.network), '[]') from copy where copy.file_id = file.id)`

/** A confirmed file with its copies. Null: missing or being purged. */
export async function readFileCopies(db: Kysely<FilesDb>, fileId: string): Promise<SeenCopies | null> {
  const { rows } = await sql<FileWithJson<{ seenAt: Date }>>`
    select file.*, now() as seen_at, ${copiesOfFile} as copies from file
    where id = ${fileId} and purging_at is null`.execute(db)
  const [row] = rows
  return row ? asSeenCopies(row) : null
}

export function asSeenCopies({ seenAt, copies, ...file }: FileWithJson<{ seenAt: Date }>): SeenCopies {
  return { file, copies: copies.map(copyFromJson), seenAt }
}

type Instant = { [K in keyof CopyRow]: Date extends CopyRow[K] ? K : never }[keyof CopyRow]

const instants: Record<Instant, true> = {
  dueAt: true,
  lostAt: true,
  claimedUntil: true,
  storedAt: true,
  fileSyncedAt: true,
  provedAt: true,
  checkedAt: true,
  leasedAt: true,
  leaseExpiresAt: true,
  renewDueAt: true,
}

/** Parses the JSON of a copy's row. */
export function copyFromJson(row: JsonRow): CopyRow {
  const entries = Object.entries(row).map(([column, value]) => {
    const name = camelCase(column)
    return [name, name in instants && value !== null ? new Date(value as string) : value]
  })
  return Object.fromEntries(entries) as CopyRow
}

const MARGIN_DAYS = 14
const MARGIN_SHARE = 4
const DAY_MS = 86_400_000

/** Minimum remaining lease of a reliable copy: 14 days, or a quarter of its life if that is more. */
export function leaseMargin(life: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`greatest(make_interval(days => ${MARGIN_DAYS}), (${life}) / ${MARGIN_SHARE}::float8)`
}

export function leaseMarginMs(lifeMs: number): number {
  return Math.max(MARGIN_DAYS * DAY_MS, lifeMs / MARGIN_SHARE)
}

/** Limits renewals of very short leases. */
const LEAST_PAUSE_SECONDS = 3600

/** When to renew a lease that begins now. Null: it does not expire. */
function renewalDue(end: RawBuilder<unknown>): RawBuilder<Date | null> {
  return sql`case when ${end} is not null then greatest(now() + make_interval(secs => ${LEAST_PAUSE_SECONDS}),
    ${end} - ${leaseMargin(sql`${end} - now()`)}) end`
}

/** Assignments for a lease that begins now, or continues. */
export function begunLease(
  end: RawBuilder<unknown>,
  { if: begins = sql`true` }: { if?: RawBuilder<unknown> } = {},
): RawBuilder<unknown> {
  return sql`lease_expires_at = ${end}, leased_at = case when ${begins} then now() else leased_at end,
    renew_due_at = case when ${begins} then ${renewalDue(end)} else renew_due_at end`
}

/** Whether more than the margin of the lease is left at `nowMs` (the database's time). In SQL: `isComplete`. */
export function hasEnoughLease(
  { leasedAt }: Pick<CopyRow, 'leasedAt'>,
  leaseExpiresAt: Date | null,
  nowMs: number,
): boolean {
  if (leaseExpiresAt === null) return true
  const lifeMs = leaseExpiresAt.getTime() - (leasedAt?.getTime() ?? nowMs)
  return leaseExpiresAt.getTime() - nowMs > leaseMarginMs(lifeMs)
}

/** A new claim shows the time of the database. */
export function claimedAtMs({ claimedUntil }: { claimedUntil: Date | null }): number {
  return (claimedUntil?.getTime() ?? 0) - CLAIM_SECONDS * 1000
}

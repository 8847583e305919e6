import { camelCase } from '@tideport/service-kit/config/config'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { CLAIM_SECONDS } from './state.ts'
import type { CopyRow, FileRow, FilesDb } from './tables.ts'

/** What decisions about copies have to know of the configuration. */
export interface NetworkNames {
  /** Networks that every file is to have a copy on, in order of preference. */
  readonly required: readonly string[]
  /** All of the configuration, in order of preference. */
  readonly order: readonly string[]
}

/** A file with its copies. Whatever changes a copy's state changes the file's version, so that guards both. */
export interface FileCopies {
  file: FileRow
  copies: readonly CopyRow[]
}

/**
 * A file's copies as they are now. Read after its row: a guard on that row's version then holds for both, for no copy
 * changed its state in between.
 */
export async function readCopies(db: Kysely<FilesDb>, fileId: string): Promise<CopyRow[]> {
  return await db.selectFrom('copy').selectAll().where('fileId', '=', fileId).orderBy('network').execute()
}

export async function withCopies(db: Kysely<FilesDb>, file: FileRow): Promise<FileCopies> {
  return { file, copies: await readCopies(db, file.id) }
}

export function copyOn({ copies }: FileCopies, network: string): CopyRow | undefined {
  return copies.find((copy) => copy.network === network)
}

/**
 * Whether the bytes are there, by the row: stored, proved, or being let go after that. A copy that is let go before it
 * was stored, or after it was lost, holds nothing. In SQL: `holdsBytesIn`.
 */
export function holdsBytes({ state, storedAt, lostAt }: Pick<CopyRow, 'state' | 'storedAt' | 'lostAt'>): boolean {
  return state === 'stored' || state === 'proved' || (state === 'dropping' && storedAt !== null && lostAt === null)
}

/** Whether the bytes of a copy are elsewhere too, by the rows. */
export function hasOtherSource({ file, copies, copy }: FileCopies & { copy: CopyRow }): boolean {
  return file.hotKey !== null || copies.some((one) => one.network !== copy.network && holdsBytes(one))
}

/** `holdsBytes` in SQL: of each row of `copy`, whether the bytes are there. */
export const holdsBytesIn = sql`(copy.state in ('stored', 'proved')
  or (copy.state = 'dropping' and copy.stored_at is not null and copy.lost_at is null))`

const READABLE = ['proved', 'stored', 'dropping']

/**
 * Where bytes may be read, best first: on required networks before those that are left, proved before stored before let
 * go, then in the order of the networks.
 */
export function readableCopies(copies: readonly CopyRow[], { required, order }: NetworkNames): NamedCopy[] {
  const rank = ({ network, state }: CopyRow) =>
    (required.includes(network) ? 0 : READABLE.length) + READABLE.indexOf(state)
  return copies
    .filter((copy) => isNamed(copy))
    .filter(holdsBytes)
    .toSorted((a, b) => rank(a) - rank(b) || place(order, a) - place(order, b))
}

/**
 * Where a further copy may be made from: the readable ones, then those that are there, if at all, against what their
 * rows say.
 */
export function possibleSources(copies: readonly CopyRow[], names: NetworkNames): NamedCopy[] {
  const others = copies.filter((copy) => isNamed(copy)).filter((copy) => !holdsBytes(copy) && copy.state !== 'dropped')
  return [...readableCopies(copies, names), ...others]
}

/**
 * What users are told as the file's blob id: that of the most preferred copy that is stored or proved. In SQL:
 * `blobIdIn`.
 */
export function blobIdOf(copies: readonly CopyRow[], order: readonly string[]): string | null {
  const held = copies.filter(({ state }) => state === 'stored' || state === 'proved')
  return held.toSorted((a, b) => place(order, a) - place(order, b))[0]?.blobId ?? null
}

/** `blobIdOf` in SQL, for each row of a table `changed` of files whose copies do not change in the statement. */
export function blobIdIn({ order }: Pick<NetworkNames, 'order'>): RawBuilder<string | null> {
  return sql`(select copy.blob_id from copy where copy.file_id = changed.id and copy.state in ('stored', 'proved')
    order by array_position(${order}::text[], copy.network) limit 1)`
}

export type NamedCopy = CopyRow & { blobId: string }

/** Whether anything may be under its reference: the row names a copy before it is made permanent. */
export function isNamed(copy: CopyRow): copy is NamedCopy {
  return copy.blobId !== null
}

function place(order: readonly string[], { network }: CopyRow): number {
  return order.includes(network) ? order.indexOf(network) : order.length
}

/** Every required network has a proved copy whose lease lasts; part of the guard of whoever relies on that. */
export function isComplete(required: readonly string[]) {
  return sql`not exists (
    select from unnest(${required}::text[]) as wanted (network) where not exists (
      select from copy where copy.file_id = file.id and copy.network = wanted.network and copy.state = 'proved'
        and (lease_expires_at is null
          or lease_expires_at - now() > ${leaseMargin(sql`lease_expires_at - leased_at`)})))`
}

/** A file with its copies, and the database's time when they were so. */
export interface SeenCopies extends FileCopies {
  seenAt: Date
}

/** A row of a statement that reads a file and, by `copiesOfFile`, its copies. */
export type FileWithJson<More = unknown> = FileRow & { copies: JsonRow[] } & More

/** A row as `to_jsonb` gives it. */
export type JsonRow = Record<string, unknown>

/**
 * The copies of the row `file`, for the list of a select: of one snapshot with it, so a guard on its version holds for
 * both.
 */
export const copiesOfFile: RawBuilder<JsonRow[]> = sql`(
  select coalesce(jsonb_agg(to_jsonb(copy) order by copy.network), '[]') from copy where copy.file_id = file.id)`

/** A confirmed file with its copies, in one statement. Null: there is none, or it is being purged. */
export async function readFileCopies(db: Kysely<FilesDb>, fileId: string): Promise<SeenCopies | null> {
  const { rows } = await sql<FileWithJson<{ seenAt: Date }>>`
    select file.*, now() as seen_at, ${copiesOfFile} as copies from file
    where id = ${fileId} and purging_at is null`.execute(db)
  const [row] = rows
  return row ? asSeenCopies(row) : null
}

/** What a statement read by `copiesOfFile`, and its `now()`. */
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

/** The row of a copy as every other statement gives it. */
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

/**
 * How much of a lease has to be left for its copy to be relied on: the larger of 14 days and a quarter of its whole
 * life.
 */
export function leaseMargin(life: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`greatest(make_interval(days => ${MARGIN_DAYS}), (${life}) / ${MARGIN_SHARE}::float8)`
}

/** The same of a life in milliseconds. */
export function leaseMarginMs(lifeMs: number): number {
  return Math.max(MARGIN_DAYS * DAY_MS, lifeMs / MARGIN_SHARE)
}

/** A network that grants next to nothing is not asked all the time. */
const LEAST_PAUSE_SECONDS = 3600

/**
 * When a lease that begins now and ends then is to be renewed: when less than its margin remains. Null where copies do not expire.
 */
function renewalDue(end: RawBuilder<unknown>): RawBuilder<Date | null> {
  return sql`case when ${end} is not null then greatest(now() + make_interval(secs => ${LEAST_PAUSE_SECONDS}),
    ${end} - ${leaseMargin(sql`${end} - now()`)}) end`
}

/** Assignments to a copy whose lease begins now and ends then; or that keeps the one it has, which ends then. */
export function begunLease(
  end: RawBuilder<unknown>,
  { if: begins = sql`true` }: { if?: RawBuilder<unknown> } = {},
): RawBuilder<unknown> {
  return sql`lease_expires_at = ${end}, leased_at = case when ${begins} then now() else leased_at end,
    renew_due_at = case when ${begins} then ${renewalDue(end)} else renew_due_at end`
}

/**
 * Whether more than the margin of its lease is left of a copy. `nowMs` is the database's. Null: kept until removed. The
 * same rule in SQL: `isComplete`.
 */
export function hasEnoughLease(
  { leasedAt }: Pick<CopyRow, 'leasedAt'>,
  leaseExpiresAt: Date | null,
  nowMs: number,
): boolean {
  if (leaseExpiresAt === null) return true
  const lifeMs = leaseExpiresAt.getTime() - (leasedAt?.getTime() ?? nowMs)
  return leaseExpiresAt.getTime() - nowMs > leaseMarginMs(lifeMs)
}

/** The claim that was just taken tells the time of the database. */
export function claimedAtMs({ claimedUntil }: { claimedUntil: Date | null }): number {
  return (claimedUntil?.getTime() ?? 0) - CLAIM_SECONDS * 1000
}

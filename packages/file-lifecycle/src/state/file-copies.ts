import { type Kysely, type RawBuilder, sql } from 'kysely'
import { leaseMargin } from './lease.ts'
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

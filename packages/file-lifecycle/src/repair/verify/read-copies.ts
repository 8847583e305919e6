import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { CopyRow, FileRow, FilesDb } from '../../state/tables.ts'

/** Of one batch. */
export const FILES = 500
const FIRST = '00000000-0000-0000-0000-000000000000'

/** A copy that somebody relies on, or will, with its file. In the trash, too: what is restored must still be there. */
export interface HeldCopy {
  file: FileRow
  copy: CopyRow & { blobId: string }
}

export interface Batch {
  copies: HeldCopy[]
  /** The last file that was looked at. */
  last: string | undefined
}

/** The copies of one file on these networks. */
export async function* copiesOf(
  db: Kysely<FilesDb>,
  networks: readonly string[],
  fileId: string,
): AsyncGenerator<Batch> {
  const { rows } = await sql<FileRow>`
    select * from file where id = ${fileId}::uuid and purging_at is null`.execute(db)
  const copies = await withHeldCopies(db, networks, rows)
  if (copies.length === 0) throw new Error(`there is no file ${fileId} that should have a copy`)
  yield { copies, last: fileId }
}

/** All copies on these networks, batch by batch in the order of their files' ids. */
export async function* allCopies(
  db: Kysely<FilesDb>,
  networks: readonly string[],
  after = FIRST,
): AsyncGenerator<Batch> {
  for (let last: string | undefined = after; last !== undefined; ) {
    const files: FileRow[] = await readBatch(db, last)
    const next: string | undefined = files.at(-1)?.id
    yield { copies: await withHeldCopies(db, networks, files), last: next }
    last = files.length === FILES ? next : undefined
  }
}

async function readBatch(db: Kysely<FilesDb>, last: string): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    select * from file where id > ${last}::uuid order by id limit ${FILES}`.execute(db)
  return rows
}

/**
 * The copies of up to so many files at random, each but once: of those that follow random places between the first and
 * the last id. Ids begin with the time of creation, so an hour comes up as often as any other, however many files it
 * made.
 */
export async function* sampleOfCopies(
  db: Kysely<FilesDb>,
  networks: readonly string[],
  size: number,
): AsyncGenerator<Batch> {
  const seen = new Set<string>()
  const { rows: bounds } = await sql<{ first: string; last: string }>`
    select (select id from file order by id limit 1) as first, (select id from file order by id desc limit 1) as last
    where exists (select from file)`.execute(db)
  const [range] = bounds
  for (let left = size; range && left > 0; left -= FILES) {
    const places = Array.from({ length: Math.min(left, FILES) }, () => randomPlace(range))
    const { rows } = await sql<FileRow>`
      select file.* from unnest(${places}::uuid[]) as place (id)
      cross join lateral (select * from file where file.id >= place.id order by file.id limit 1) as file`.execute(db)
    const files = rows.filter(({ id }) => !seen.has(id) && seen.add(id))
    yield { copies: await withHeldCopies(db, networks, files), last: undefined }
  }
}

async function withHeldCopies(
  db: Kysely<FilesDb>,
  networks: readonly string[],
  files: readonly FileRow[],
): Promise<HeldCopy[]> {
  const byId = new Map(files.flatMap((file) => (file.purgingAt === null ? [[file.id, file]] : [])))
  const { rows } = await sql<HeldCopy['copy']>`
    select * from copy where file_id = any(${[...byId.keys()]}::uuid[]) and network = any(${networks}::text[])
      and state in ('stored', 'proved') and blob_id is not null
    order by file_id, network`.execute(db)
  return rows.flatMap((copy) => {
    const file = byId.get(copy.fileId)
    return file ? [{ file, copy }] : []
  })
}

/** Its first 48 bits are a time. */
function randomPlace({ first, last }: { first: string; last: string }): string {
  const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
  const span = timeOf(last) - timeOf(first) + 1
  const time = timeOf(first) + Math.floor(Math.random() * span)
  const digits = time.toString(16).padStart(12, '0')
  const rest = randomUUID().slice(13)
  return [`${digits.slice(0, 8)}-${digits.slice(8)}${rest}`, last].toSorted()[0] as string
}

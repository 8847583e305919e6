import { randomUUID } from 'node:crypto'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'

const FILES = 500
const FIRST = '00000000-0000-0000-0000-000000000000'

/** What an eviction was, or will be, trusted with. In the trash, too: what is restored must still be there. */
const hasCopy = sql`status in ('synced', 'cold') and purging_at is null`

/** The copy of one file. */
export async function* copyOf(db: Kysely<FilesDb>, fileId: string): AsyncGenerator<FileRow[]> {
  const { rows } = await sql<FileRow>`select * from file where id = ${fileId}::uuid and ${hasCopy}`.execute(db)
  if (rows.length === 0) throw new Error(`there is no file ${fileId} that should have a copy`)
  yield rows
}

/** All copies on a network, batch by batch in the order of ids. */
export async function* allCopies(db: Kysely<FilesDb>, network: string, after = FIRST): AsyncGenerator<FileRow[]> {
  for (let last: string | undefined = after; last !== undefined; ) {
    const batch: (FileRow & { hasCopy: boolean })[] = await readBatch(db, network, last)
    yield batch.filter((file) => file.hasCopy)
    last = batch.length === FILES ? batch.at(-1)?.id : undefined
  }
}

async function readBatch(db: Kysely<FilesDb>, network: string, last: string) {
  const { rows } = await sql<FileRow & { hasCopy: boolean }>`
    select *, (${hasCopy} and network = ${network}) as has_copy from file
    where id > ${last}::uuid order by id limit ${FILES}`.execute(db)
  return rows
}

/**
 * Up to so many of them at random, each but once: what follows random places between the first and the last id. Ids begin
 * with the time of creation, so an hour comes up as often as any other, however many files it made.
 */
export async function* sampleOfCopies(db: Kysely<FilesDb>, network: string, size: number): AsyncGenerator<FileRow[]> {
  const seen = new Set<string>()
  const { rows: bounds } = await sql<{ first: string; last: string }>`
    select (select id from file order by id limit 1) as first, (select id from file order by id desc limit 1) as last
    where exists (select from file)`.execute(db)
  const [range] = bounds
  for (let left = size; range && left > 0; left -= FILES) {
    const places = Array.from({ length: Math.min(left, FILES) }, () => randomPlace(range))
    const { rows } = await sql<FileRow & { hasCopy: boolean }>`
      select file.*, (${hasCopy} and network = ${network}) as has_copy from unnest(${places}::uuid[]) as place (id)
      cross join lateral (select * from file where file.id >= place.id order by file.id limit 1) as file`.execute(db)
    yield rows.filter((file) => file.hasCopy && !seen.has(file.id) && seen.add(file.id))
  }
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

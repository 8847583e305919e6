import type { CopyRow, FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'

/** Copies per batch. */
export const FILES = 500
/** Table pages per sample. A page has some rows, unless many were deleted. */
const PAGES = 1000
const FIRST = '00000000-0000-0000-0000-000000000000'

/** A stored copy with its file. Includes files in the trash, because they can be restored. */
export interface HeldCopy {
  file: FileRow
  copy: CopyRow & { blobId: string }
}

export interface Batch {
  copies: HeldCopy[]
  /** The last file of the batch. */
  last: string | undefined
}

export async function* copiesOf(
  db: Kysely<FilesDb>,
  networks: readonly string[],
  fileId: string,
): AsyncGenerator<Batch> {
  const { rows } = await sql<FileRow>`
    select * from file where id = ${fileId}::uuid and purging_at is null`.execute(db)
  const copies = await withHeldCopies(db, networks, rows)
  if (copies.length === 0) throw new Error(`no file with ID ${fileId} should have a copy`)
  yield { copies, last: fileId }
}

/** Reads in batches, by file. */
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
 * Copies of random files. Samples table pages instead of IDs, because clients can choose IDs; so each file is equally
 * likely.
 */
export async function* sampleOfCopies(
  db: Kysely<FilesDb>,
  networks: readonly string[],
  size: number,
): AsyncGenerator<Batch> {
  const seen = new Set<string>()
  for (let left = size; left > 0; left -= FILES) {
    const files = (await drawFiles(db, Math.min(left, FILES))).filter(({ id }) => !seen.has(id) && seen.add(id))
    yield { copies: await withHeldCopies(db, networks, files), last: undefined }
  }
}

async function drawFiles(db: Kysely<FilesDb>, count: number): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    select * from file tablesample system (
      least(100, 100.0 * ${PAGES} * current_setting('block_size')::int / greatest(1, pg_relation_size('file'))))
    order by random() limit ${count}`.execute(db)
  return rows
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

import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { readCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { CopyRow, FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Copies } from '@tideport/file-lifecycle/views/file-views'
import { type Kysely, sql } from 'kysely'

export interface ShowDeps {
  db: Kysely<FilesDb>
  networks: Networks
}

type View<Row, Shown> = (row: Row, shown: Copies) => Shown

/** A file's row as `view` shows it, with its copies. Before a file is confirmed it has none. */
export async function showFile<Row extends FileRow, Shown>(
  { db, networks: { order, blobIdOf } }: ShowDeps,
  row: Row,
  view: View<Row, Shown>,
): Promise<Shown> {
  return view(row, { copies: row.confirmedAt === null ? [] : await readCopies(db, row.id), order, blobIdOf })
}

/** Files as their owners see them, whose copies are read in one query for all. */
export async function showFiles<Row extends FileRow, Shown>(
  { db, networks: { order, blobIdOf } }: ShowDeps,
  rows: readonly Row[],
  view: View<Row, Shown>,
): Promise<Shown[]> {
  const copies = await readCopiesOf(
    db,
    rows.filter(({ confirmedAt }) => confirmedAt !== null).map(({ id }) => id),
  )
  const ofFile = Map.groupBy(copies, ({ fileId }): string => fileId)
  return rows.map((row) => view(row, { copies: ofFile.get(row.id) ?? [], order, blobIdOf }))
}

/** One parameter for all ids: one statement to prepare, however long the page is. */
async function readCopiesOf(db: Kysely<FilesDb>, ids: string[]): Promise<CopyRow[]> {
  if (ids.length === 0) return []
  return (await sql<CopyRow>`select * from copy where file_id = any(${ids}::uuid[])`.execute(db)).rows
}

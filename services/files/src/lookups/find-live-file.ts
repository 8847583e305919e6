import { asSeenCopies, copiesOfFile, type SeenCopies } from '@tideport/file-lifecycle/state/file-copies'
import { givenRows, isLive } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { prepared } from '@tideport/service-kit/postgres/prepared'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'

/** The one key of finds, for they hold up nobody. */
const ALL = ''

/** A file with the database's `now()` of the very moment its row was read: URLs for it are signed as of then. */
export type FileSeen = FileRow & { seenAt: Date }

/** A file of this account that nobody threw away. Null for somebody else's too. */
export async function findOwnFile(db: Kysely<FilesDb>, accountId: string, fileId: string): Promise<FileSeen | null> {
  return (await selectLive(db, fileId).where('accountId', '=', accountId).executeTakeFirst()) ?? null
}

/** The same. Throws 404 where there is none. */
export async function getOwnFile(db: Kysely<FilesDb>, accountId: string, fileId: string): Promise<FileSeen> {
  const file = await findOwnFile(db, accountId, fileId)
  if (file === null) throw notFound()
  return file
}

/** A file that nobody threw away, whoever owns it; for callers who have proved that they may read it. */
export async function findLiveFile(db: Kysely<FilesDb>, fileId: string): Promise<SeenCopies | null> {
  const row = await selectLive(db, fileId).select(copiesOfFile.as('copies')).executeTakeFirst()
  return row ? asSeenCopies(row) : null
}

const finding = prepared<readonly string[], FileSeen>(
  (given) => sql`
    select file.*, now() as seen_at
    from (${givenRows(given, { id: ['uuid', (fileId) => fileId] })}) as asked
      cross join lateral (select * from file where file.id = asked.id limit 1) as file
    where ${isLive}`,
)

/** Finds files of their owners that nobody threw away; what is asked for at once in this process is one statement. */
export function batchFinds(
  db: Kysely<FilesDb>,
  batching: Batching,
): (accountId: string, fileId: string) => Promise<FileSeen | null> {
  const find = batching.batch<string, FileSeen | null>(
    async (fileIds) => {
      const rows = await finding.execute(db, fileIds)
      const found = new Map(rows.map((file) => [file.id, file]))
      return fileIds.map((id) => found.get(id) ?? null)
    },
    { pauses: true },
  )
  return async (accountId, fileId) => {
    const file = await find(ALL, fileId)
    return file?.accountId === accountId ? file : null
  }
}

function selectLive(db: Kysely<FilesDb>, fileId: string) {
  return db
    .selectFrom('file')
    .selectAll('file')
    .select(sql<Date>`now()`.as('seenAt'))
    .where('id', '=', fileId)
    .where(sql<boolean>`${isLive}`)
}

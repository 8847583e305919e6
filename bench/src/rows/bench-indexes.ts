import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { median } from '../measure.ts'
import { type Seeded, seedFiles } from '../seed-files.ts'
import { startDatabase } from '../start-database.ts'

const FILES_BEFORE = 100_000
const ROWS = 3000
const ROUNDS = 3

/** What a form of the schema lacks. */
const forms: Record<string, string[]> = {
  'as it is': [],
  'without file_kept_of_vault_by_path': ['drop index file_kept_of_vault_by_path'],
  'without file_sole_of_path': ['drop index file_sole_of_path'],
  'without file_in_trash_of_vault_by_path': ['drop index file_in_trash_of_vault_by_path'],
  'without file_label': ['drop trigger file_labelled on file', 'drop trigger file_relabelled on file'],
  'without taken_id': ['drop trigger file_gone on file', 'drop trigger upload_gone on file'],
}
forms['without any of these'] = Object.values(forms).flat()

type Work = (trx: Transaction<FilesDb>, seeded: Seeded) => Promise<unknown>

/** What is done to so many rows by one statement. */
const works: Record<string, Work> = {
  insert: (trx, { accountId, vaultId }) => insert(trx, accountId, vaultId, sql`null`),
  'insert with labels': (trx, { accountId, vaultId }) =>
    insert(trx, accountId, vaultId, sql`jsonb_build_object('camera', 'X' || n % 100)`),
  'hot to synced': (trx) => sql`update file set status = 'synced', version = version + 1 where ${some}`.execute(trx),
  'into another folder': (trx) =>
    sql`update file set folder = 'moved/', on_conflict = 'replace', place_id = id where ${some}`.execute(trx),
  'to the trash': (trx) =>
    sql`update file set deleted_at = now(), purge_due_at = now() + interval '7 days' where ${some}`.execute(trx),
  'gone for good': (trx) => sql`delete from file where ${some}`.execute(trx),
}

const some = sql`id in (select id from file order by id limit ${ROWS})`

function insert(trx: Transaction<FilesDb>, accountId: string, vaultId: string, metadata: ReturnType<typeof sql>) {
  return sql`
    insert into file (id, account_id, vault_id, folder, name, mime_type, size_bytes, status, metadata, upload_key,
      upload_expires_at, confirmed_at)
    select gen_random_uuid(), ${accountId}::uuid, ${vaultId}::uuid, 'new/' || n % 100 || '/', md5(n::text) || '.jpg',
      'image/jpeg', 1000, 'hot', ${metadata}, 'k', now(), now()
    from generate_series(1, ${ROWS}::int) as n`.execute(trx)
}

/**
 * What the indexes and triggers cost that paths, labels and ids of clients' own need: rows a second and bytes of WAL of
 * one statement on 10,000 rows among 300,000, as the schema is and in forms that lack some of them. Each form is made and
 * taken back in the transaction that is measured.
 */
export async function benchIndexes(): Promise<void> {
  await using database = await startDatabase()
  const { db } = database
  await leaveWholePagesOut(database.adminUrl)
  const seeded = await seedFiles(db, FILES_BEFORE)
  for (const [work, run] of Object.entries(works)) {
    const figures = new Map(
      Object.keys(forms).map((form) => [form, { seconds: [] as number[], bytes: [] as number[] }]),
    )
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [form, changes] of Object.entries(forms)) {
        const { seconds, bytes } = await measure(db, changes, (trx) => run(trx, seeded))
        figures.get(form)?.seconds.push(seconds)
        figures.get(form)?.bytes.push(bytes)
      }
      // What was taken back is in the way of the next round.
      await sql`vacuum file, file_label, name_to_index, taken_id`.execute(db)
    }
    console.log(`\n${work}`)
    for (const [form, { seconds, bytes }] of figures) {
      const rows = Math.round(ROWS / median(seconds)).toLocaleString('en')
      console.log(
        `  ${form.padEnd(40)}${rows.padStart(9)} rows/s${(median(bytes) / ROWS).toFixed(0).padStart(7)} bytes`,
      )
    }
  }
}

/** A page that a checkpoint made whole would be in the WAL of whoever comes first. */
async function leaveWholePagesOut(connectionString: string): Promise<void> {
  const admin = new pg.Client({ connectionString })
  await admin.connect()
  await admin.query('alter system set full_page_writes = off')
  await admin.query('select pg_reload_conf()')
  await admin.end()
}

async function measure(
  db: Kysely<FilesDb>,
  changes: readonly string[],
  work: (trx: Transaction<FilesDb>) => Promise<unknown>,
) {
  const trx = await db.startTransaction().execute()
  for (const change of changes) await sql.raw(change).execute(trx)
  const before = await walOf(trx)
  const begun = performance.now()
  await work(trx)
  const seconds = (performance.now() - begun) / 1000
  const bytes = (await walOf(trx)) - before
  await trx.rollback().execute()
  return { seconds, bytes }
}

async function walOf(db: Kysely<FilesDb>): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`.execute(db)
  return Number(rows[0]?.bytes)
}

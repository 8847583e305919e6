import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { markHot } from '@tideport/file-lifecycle/state/transitions'
import { alone } from '@tideport/file-lifecycle/state/writes'
import { currentTrace } from '@tideport/service-kit/context/request-context'
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { v7 as uuidv7 } from 'uuid'
import { compare, print, type Variant } from './measure.ts'
import { type BenchDatabase, startDatabase } from './start-database.ts'

const ROUNDS = 7
const FILES_A_ROUND = 2000
const IN_FLIGHT = 32
const ACCOUNTS = 100

/**
 * uploading → hot as this project writes it (one guarded, named statement) and as a plain Kysely transaction would:
 * select for update, update, insert, update. Only Postgres, without the object storage. Files per second.
 */
export async function benchConfirm(): Promise<void> {
  await using database = await startDatabase()
  await using plain = openPlain(database.url)
  const { db } = database
  await sql`
    insert into account (id, open_uploads) select gen_random_uuid(), 1000000 from generate_series(1, ${ACCOUNTS}::int)`.execute(
    db,
  )
  await sql`
    insert into vault (id, account_id, name, visibility, slug)
    select gen_random_uuid(), id, 'Bench', 'public', 'bench' from account`.execute(db)
  const variants: Variant[] = [
    { name: 'plain transaction', run: () => filesPerSecond(database, (file) => confirmPlainly(plain, file)) },
    {
      name: 'one guarded statement',
      run: () =>
        filesPerSecond(database, (file) => markHot(alone(db), file, { required: ['embedded'], order: ['embedded'] })),
    },
  ]
  print('confirm in Postgres', 'files/s', await compare(variants, ROUNDS))
}

async function filesPerSecond({ db }: BenchDatabase, confirm: (file: FileRow) => Promise<unknown>): Promise<number> {
  const { rows } = await sql<FileRow>`
    insert into file (id, account_id, vault_id, name, mime_type, size_bytes, hot_key, upload_key, upload_id,
      upload_expires_at, completing_at)
    select gen_random_uuid(), account_id, vault.id, 'photo ' || n || '.jpg', 'image/jpeg', 1000, 'k', 'k', 'u',
      now() + interval '1 day', now()
    from generate_series(1, ${FILES_A_ROUND / ACCOUNTS}::int) as n, vault
    returning *`.execute(db)
  const waiting = rows.values()
  const startedAt = performance.now()
  const worker = async () => {
    for (const file of waiting) if (!(await confirm(file))) throw new Error('A file was not confirmed')
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
  return (rows.length / (performance.now() - startedAt)) * 1000
}

/** As many connections as the other form has, and Kysely as it comes. */
function openPlain(connectionString: string): Kysely<FilesDb> {
  const pool = new pg.Pool({ connectionString, max: 32, options: '-c search_path=files' })
  // The server stops right after this pool, and may say goodbye to connections that are still closing.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return new Kysely({
    dialect: new PostgresDialect({ pool }),
    plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
  })
}

function confirmPlainly(plain: Kysely<FilesDb>, { id }: FileRow): Promise<unknown> {
  const now = sql<Date>`now()`
  const trace = currentTrace()
  return plain.transaction().execute(async (trx) => {
    const file = await trx.selectFrom('file').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow()
    if (file.status !== 'uploading') return null
    const vault = await trx.selectFrom('vault').select('deletedAt').where('id', '=', file.vaultId).executeTakeFirst()
    if (vault?.deletedAt !== null) return null
    const hot = await trx
      .updateTable('file')
      .set({ status: 'hot', confirmedAt: now, completingAt: null, updatedAt: now })
      .set((eb) => ({ version: eb('version', '+', 1) }))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const data = { fileId: id, fileName: hot.name, vaultId: hot.vaultId, status: hot.status, sizeBytes: hot.sizeBytes }
    const subject = { subjectKind: 'file' as const, subjectId: id }
    const payload = JSON.stringify({ event: 'file.hot', timestamp: new Date().toISOString(), data })
    await trx
      .insertInto('event')
      .values({
        id: uuidv7(),
        ...subject,
        accountId: hot.accountId,
        type: 'file.hot',
        isPublic: true,
        payload,
        ...trace,
      })
      .execute()
    await trx
      .updateTable('account')
      .set((eb) => ({ hotBytes: eb('hotBytes', '+', file.sizeBytes), openUploads: eb('openUploads', '-', 1) }))
      .where('id', '=', hot.accountId)
      .execute()
    return hot
  })
}

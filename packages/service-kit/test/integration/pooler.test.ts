import { pgbouncerBinary, startPgbouncer } from '@tideport/testing/pgbouncer'
import { createTestDatabase, longTimeouts, type TestDatabase } from '@tideport/testing/postgres'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/postgres/database.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { createLogger } from '../../src/telemetry/logger.ts'

const log = createLogger({ service: 'test', level: 'silent' })

describe.skipIf(pgbouncerBinary === undefined)('behind pgbouncer in transaction mode (skipped: not installed)', () => {
  const parts = new AsyncDisposableStack()
  let database: TestDatabase
  let url: string
  beforeAll(async () => {
    database = parts.use(await createTestDatabase({ schema: 'boxes' }))
    await database.sql('create table box (id int primary key, size int)')
    url = parts.use(await startPgbouncer({ urls: [database.url], poolSize: 2 })).through(database.url)
  })
  afterAll(() => parts.disposeAsync())

  const open = (databasePoolSize: number) =>
    openDatabase<{ box: { id: number; size: number } }>({
      ...{ databaseUrl: url, databasePoolSize, databasePooler: 'transaction' as const },
      ...{ schema: 'boxes', name: 'test', log, ...longTimeouts },
    })

  it('forty connections run the same statements over two Postgres connections, each transaction atomically', async () => {
    await using db = open(20)
    await using other = open(20)
    const write = async (_: unknown, id: number) =>
      (id % 2 ? db : other).transaction().execute(async (trx) => {
        await trx.insertInto('box').values({ id, size: 1 }).execute()
        await trx.updateTable('box').set({ size: id }).where('id', '=', id).where('size', '=', 1).execute()
      })
    await Promise.all(Array.from({ length: 200 }, write))
    const rows = await db.selectFrom('box').selectAll().where('size', '>=', 0).orderBy('id').execute()
    expect(rows).toEqual(Array.from({ length: 200 }, (_, id) => ({ id, size: id })))
    const held = await database.sql(
      `select from pg_stat_activity where datname = current_database() and application_name = 'test'`,
    )
    expect(held.length).toBeLessThanOrEqual(2)
  })

  it('a setting of a transaction does not outlast it', async () => {
    await using db = open(1)
    await db.transaction().execute((trx) => sql`select set_config('synchronous_commit', 'off', true)`.execute(trx))
    expect((await sql`show synchronous_commit`.execute(db)).rows).toEqual([{ synchronousCommit: 'on' }])
  })

  it('the migration job fails with an error that requires a direct connection', async () => {
    const folder = new URL('../../../testing/test/integration/migrations/', import.meta.url)
    await expect(migrate({ url, schema: 'boxes', folder })).rejects.toThrow('must connect to Postgres directly')
  })
})

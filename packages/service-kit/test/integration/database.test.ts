import { startChaosProxy } from '@tideport/testing/chaos-proxy'
import { createTestDatabase, type TestDatabase } from '@tideport/testing/postgres'
import { waitFor } from '@tideport/testing/wait-for'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { withWaitBudget } from '../../src/context/request-context.ts'
import { WaitBudget } from '../../src/context/wait-budget.ts'
import { openDatabase } from '../../src/postgres/database.ts'
import { isNotYetMigrated, isUnavailable, isUniqueViolation } from '../../src/postgres/database-errors.ts'
import { openConnections } from '../../src/postgres/open-connections.ts'
import { type Give, prepared } from '../../src/postgres/prepared.ts'
import { createLogger } from '../../src/telemetry/logger.ts'

interface BoxDb {
  box: { id: number; boxName: string; sizeBytes: number; details: unknown }
}

const log = createLogger({ service: 'test', level: 'silent' })
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase({ schema: 'boxes' })
  await database.sql('create table box (id bigint primary key, box_name text, size_bytes bigint, details jsonb)')
})
afterAll(() => database.dispose())

interface Options {
  url?: string
  poolSize?: number
  statementTimeoutMs?: number
  connectTimeoutMs?: number
  queueTimeoutMs?: number
}

function open(more: Options = {}): Kysely<BoxDb> {
  const { url = database.url, poolSize = 1, ...rest } = more
  return openDatabase<BoxDb>({
    databaseUrl: url,
    databasePoolSize: poolSize,
    schema: 'boxes',
    name: 'test',
    log,
    ...rest,
  })
}

async function openThroughProxy(limits: Options = {}) {
  const proxy = await startChaosProxy({ port: Number(new URL(database.url).port) })
  const url = new URL(database.url)
  url.port = String(proxy.port)
  return { proxy, db: open({ url: url.href, ...limits }) }
}

const ping = (db: Kysely<BoxDb>) => sql`select 1`.execute(db)
const failureOf = (promise: Promise<unknown>) => promise.then(() => null, (error: unknown) => error) // biome-ignore format: one chain

describe('a prepared statement', () => {
  it('is built once, and executed with new values each time, inside and outside a transaction', async () => {
    await using db = open()
    const build = vi.fn(
      (given: Give<{ name: string; sizes: number[] }>) => sql<{ boxName: string; sum: number; fixed: number }>`
        select ${given(({ name }) => name)}::text as box_name, sum(size)::bigint as sum, ${7}::bigint as fixed
        from unnest(${given(({ sizes }) => sizes)}::bigint[]) as size`,
    )
    const statement = prepared(build)
    const first = await statement.execute(db, { name: 'a', sizes: [1, 2] })
    const second = await db.transaction().execute((trx) => statement.execute(trx, { name: 'b', sizes: [5] }))
    expect([first, second]).toEqual([[{ boxName: 'a', sum: 3, fixed: 7 }], [{ boxName: 'b', sum: 5, fixed: 7 }]])
    const { rows } = await sql<{ plans: number }>`
      select sum(generic_plans + custom_plans)::bigint as plans from pg_prepared_statements
      where statement like ${'%as box_name, sum(size)%'}`.execute(db)
    expect(rows).toEqual([{ plans: 2 }])
    expect(build).toHaveBeenCalledTimes(1)
  })
})

describe('openDatabase', () => {
  it('reads its schema in camelCase and BIGINT as number, and keeps the keys inside JSON', async () => {
    await using db = open()
    const box = { id: 1, boxName: 'a', sizeBytes: 2 ** 40, details: { snake_case: { inner_key: 1 } } }
    await db.insertInto('box').values(box).execute()
    expect(await db.selectFrom('box').selectAll().where('id', '=', 1).executeTakeFirst()).toEqual(box)
  })

  it('does not round a BIGINT that a number cannot represent', async () => {
    await using db = open()
    const { rows } = await sql<{ n: unknown }>`select ${'9007199254740993'}::bigint as n`.execute(db)
    expect(rows).toEqual([{ n: '9007199254740993' }])
  })

  it('prepares a statement once per connection for any parameters', async () => {
    await using db = open()
    for (const id of [1, 2, 3]) await db.selectFrom('box').select('id').where('id', '=', id).execute()
    const { rows } = await sql`select name from pg_prepared_statements where statement like '%from "box"%'`.execute(db)
    expect(rows).toHaveLength(1)
  })

  it('starts no parallel workers, which take longer than a short statement', async () => {
    await using db = open()
    const { rows } = await sql`show max_parallel_workers_per_gather`.execute(db)
    expect(rows).toEqual([{ maxParallelWorkersPerGather: '0' }])
  })

  it('continues after a migration changed the columns of a prepared statement', async () => {
    await using db = open()
    const read = () => db.selectFrom('box').selectAll().where('id', '=', 999).execute()
    await read()
    await database.sql('alter table box add column added_later int')
    expect(await read()).toEqual([])
    expect(await read()).toEqual([])
  })

  it('recognizes the violation of a unique index by its name', async () => {
    await using db = open()
    const insert = () => db.insertInto('box').values({ id: 7, boxName: 'a', sizeBytes: 1, details: null }).execute()
    await insert()
    const error = await failureOf(insert())
    expect(isUniqueViolation(error)).toBe(true)
    expect(isUniqueViolation(error, 'box_pkey')).toBe(true)
    expect(isUniqueViolation(error, 'other')).toBe(false)
    expect(isUnavailable(error)).toBe(false)
    expect(isNotYetMigrated(error)).toBe(false)
  })

  it.each(['select * from later', 'select later from box', 'create table later.box ()'])(
    'recognizes an error that a migration resolves: %s',
    async (statement) => {
      const error = await failureOf(database.sql(statement))
      expect([isNotYetMigrated(error), isUnavailable(error)]).toEqual([true, false])
    },
  )
})

describe('openConnections', () => {
  it('opens connections before the first caller needs one', async () => {
    const { proxy, db } = await openThroughProxy({ poolSize: 8 })
    await using _proxy = proxy
    await using _db = db
    await openConnections(db)
    expect(proxy.connections()).toBe(4)
    await Promise.all([ping(db), ping(db), ping(db), ping(db)])
    expect(proxy.connections()).toBe(4)
  })

  it('does not reject while the server is unavailable', async () => {
    const { proxy, db } = await openThroughProxy({ connectTimeoutMs: 100, queueTimeoutMs: 100 })
    await using _proxy = proxy
    await using _db = db
    for (const kind of ['reset', 'blackhole'] as const) {
      proxy.setWeather({ kind })
      await openConnections(db)
    }
    proxy.setWeather({ kind: 'pass' })
    await waitFor(() => ping(db), { what: 'a connection' })
  })
})

describe('while Postgres is unavailable', () => {
  it('opens, rejects statements as unavailable, and works once Postgres is back', async () => {
    const { proxy, db } = await openThroughProxy()
    await using _proxy = proxy
    await using _db = db
    proxy.setWeather({ kind: 'reset' })
    expect(isUnavailable(await failureOf(ping(db)))).toBe(true)
    proxy.setWeather({ kind: 'pass' })
    await ping(db)
  })

  it('survives connections that break in the pool or during a statement', async () => {
    const { proxy, db } = await openThroughProxy()
    await using _proxy = proxy
    await using _db = db
    await ping(db)
    const running = failureOf(sql`select pg_sleep(10)`.execute(db))
    proxy.cut()
    expect(isUnavailable(await running)).toBe(true)
    await ping(db)
  })

  it('fails on an unresponsive server, and never uses that connection again', async () => {
    const { proxy, db } = await openThroughProxy({ statementTimeoutMs: 2_000 })
    await using _proxy = proxy
    await using _db = db
    await ping(db)
    proxy.setWeather({ kind: 'blackhole' })
    expect(isUnavailable(await failureOf(ping(db)))).toBe(true)
    proxy.setWeather({ kind: 'pass' })
    await ping(db)
  })

  it('rejects statements as unavailable when all connections are in use', async () => {
    await using db = open({ poolSize: 1, queueTimeoutMs: 200 })
    await db.connection().execute(async () => {
      expect(isUnavailable(await failureOf(ping(db)))).toBe(true)
    })
  })
})

describe('inside a request', () => {
  /** Timeouts longer than any test. */
  const never = { statementTimeoutMs: 600_000, connectTimeoutMs: 600_000, queueTimeoutMs: 600_000 }

  it('all statements together wait no longer than the wait budget, and unresponsive connections are closed', async () => {
    const { proxy, db } = await openThroughProxy(never)
    await using _proxy = proxy
    await using _db = db
    await ping(db)
    proxy.setWeather({ kind: 'blackhole' })
    const waitBudget = new WaitBudget(200)
    await withWaitBudget(waitBudget, async () => {
      expect(isUnavailable(await failureOf(ping(db)))).toBe(true)
      expect(waitBudget.leftMs).toBe(0)
      expect(isUnavailable(await failureOf(ping(db)))).toBe(true)
    })
    await waitFor(() => proxy.connections() === 0, { what: 'the connection that hung to be closed' })
    proxy.setWeather({ kind: 'pass' })
    await withWaitBudget(new WaitBudget(60_000), () => ping(db))
    expect(proxy.connections()).toBe(1)
  })

  it('an unresponsive new connection uses no more than the wait budget, and is closed', async () => {
    const { proxy, db } = await openThroughProxy({ ...never, connectTimeoutMs: 1_000 })
    await using _proxy = proxy
    await using _db = db
    proxy.setWeather({ kind: 'blackhole' })
    await withWaitBudget(new WaitBudget(100), async () => expect(isUnavailable(await failureOf(ping(db)))).toBe(true))
    proxy.setWeather({ kind: 'pass' })
    await waitFor(() => proxy.connections() === 0, { what: 'the connection that never came up to be closed' })
    await waitFor(() => ping(db), { what: 'a connection' })
  })

  it('a transaction on an unresponsive connection fails without waiting for its rollback', async () => {
    const { proxy, db } = await openThroughProxy(never)
    await using _proxy = proxy
    await using _db = db
    const box = { id: 70, boxName: 'a', sizeBytes: 1, details: null }
    const write = db.transaction().execute(async (trx) => {
      await trx.insertInto('box').values(box).execute()
      proxy.setWeather({ kind: 'blackhole' })
      await withWaitBudget(new WaitBudget(100), () => ping(trx))
    })
    expect(isUnavailable(await failureOf(write))).toBe(true)
    proxy.cut()
    proxy.setWeather({ kind: 'pass' })
    expect(await db.selectFrom('box').select('id').where('id', '=', 70).execute()).toEqual([])
  })

  it('waiting for a busy pool uses none of the wait budget while Postgres responds', async () => {
    await using db = open({ poolSize: 1, ...never })
    const waitBudget = new WaitBudget(1_000)
    // The only connection receives responses continuously, and is busy for more than twice the budget.
    const busy = Array.from({ length: 50 }, () => sql`select pg_sleep(${0.05})`.execute(db))
    await withWaitBudget(waitBudget, () => ping(db))
    await Promise.all(busy)
    expect(waitBudget.leftMs).toBeGreaterThan(0)
  })

  it('a slow statement may outlast the wait budget while other statements get responses', async () => {
    await using db = open({ poolSize: 2, ...never })
    const slow = withWaitBudget(new WaitBudget(1_000), () => sql`select pg_sleep(2)`.execute(db).then(() => 'answered'))
    let outcome: string | undefined
    void slow.then((answer) => (outcome = answer), (error) => (outcome = String(error))) // biome-ignore format: one line
    while (outcome === undefined) await ping(db)
    expect(outcome).toBe('answered')
  })

  it('a connection that becomes free after its request timed out serves the next request', async () => {
    await using db = open({ poolSize: 1, ...never })
    await db.connection().execute(async () => {
      await withWaitBudget(new WaitBudget(100), async () => expect(isUnavailable(await failureOf(ping(db)))).toBe(true))
    })
    await ping(db)
  })

  it('a canceled statement does not continue on the server', async () => {
    await using db = open({ poolSize: 1, ...never })
    const sleep = sql`select pg_sleep(500) as given_up`
    await withWaitBudget(new WaitBudget(200), async () =>
      expect(isUnavailable(await failureOf(sleep.execute(db)))).toBe(true),
    )
    const isOver = async () => {
      const rows = await database.sql(
        `select from pg_stat_activity where query like '%as given_up' and state = 'active'`,
      )
      return rows.length === 0
    }
    await waitFor(isOver, { what: 'the server to end the statement' })
  })
})

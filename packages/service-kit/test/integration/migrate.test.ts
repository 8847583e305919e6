import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startChaosProxy } from '@tideport/testing/chaos-proxy'
import { createTestDatabase } from '@tideport/testing/postgres'
import { waitFor } from '@tideport/testing/wait-for'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/postgres/database.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { isMigrated } from '../../src/postgres/watch-database.ts'
import { createLogger } from '../../src/telemetry/logger.ts'

const BOXES = `-- compatible
create table box (id int primary key, size int);
insert into box select n, null from generate_series(1, 25) as n;`
const INDEX = `-- compatible, online
create index concurrently if not exists box_size on box (size);`
const SIZES = `-- compatible, batches
with batch as (select id from box where id > coalesce($1, '0')::int order by id limit 10),
sized as (update box set size = coalesce(size, 0) + 1 from batch where box.id = batch.id)
select id as last from batch order by id desc limit 1;`

async function setup(files: Record<string, string>) {
  const stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'tideport-migrations-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const write = (name: string, text: string) => writeFile(join(directory, name), text)
  for (const [name, text] of Object.entries(files)) await write(name, text)
  const database = stack.use(await createTestDatabase({ schema: 'boxes' }))
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const log = createLogger({ service: 'test', level: 'info', destination })
  const db = stack.use(
    openDatabase<unknown>({ databaseUrl: database.url, databasePoolSize: 1, schema: 'boxes', name: 'test', log }),
  )
  /** A session of another client. */
  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: database.url, options: '-c search_path=boxes' })
    client.on('error', () => {})
    await client.connect()
    stack.defer(() => client.end())
    return client
  }
  const folder = pathToFileURL(`${directory}/`)
  return {
    ...{ write, database, connect, lines, folder },
    migrate: (lockWaitMs = 60_000) => migrate({ url: database.url, schema: 'boxes', folder, lockWaitMs, log }),
    isMigrated: () => isMigrated(db, 'boxes', folder),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const column = async (t: Awaited<ReturnType<typeof setup>>, query: string) =>
  (await t.database.sql(query)).map((row) => Object.values(row)[0])

describe('migrate', () => {
  it('runs each file once, in the order of their names', async () => {
    await using t = await setup({
      '0002-more.sql': '-- compatible\ninsert into box values (26)',
      '0001-box.sql': BOXES,
      'notes.md': '',
    })
    expect(await t.migrate()).toEqual(['0001-box', '0002-more'])
    expect(await t.migrate()).toEqual([])
    await t.write('0003-rest.sql', '-- breaking\ninsert into box values (27)')
    expect(await t.migrate()).toEqual(['0003-rest'])
    expect(await t.database.sql('select id from boxes.box')).toHaveLength(27)
  })

  it('runs each file once when several jobs run concurrently', async () => {
    await using t = await setup({ '0001-box.sql': BOXES, '0002-index.sql': INDEX, '0003-sizes.sql': SIZES })
    const runs = await Promise.all([t.migrate(), t.migrate(), t.migrate()])
    expect(runs.flat()).toEqual(['0001-box', '0002-index', '0003-sizes'])
    expect(await column(t, 'select distinct size from box')).toEqual([1])
  })

  it('rolls back a file that fails, and keeps the changes of earlier files', async () => {
    const bad = '-- compatible\ncreate table lid (id int); insert into nowhere values (1)'
    await using t = await setup({ '0001-box.sql': BOXES, '0002-bad.sql': bad })
    await expect(t.migrate()).rejects.toThrow('nowhere')
    expect(await column(t, `select tablename from pg_tables where schemaname = 'boxes' order by 1`)).toEqual([
      'box',
      'schema_migration',
      'schema_migration_batch',
    ])
    await t.write('0002-bad.sql', '-- compatible\ncreate table lid (id int)')
    expect(await t.migrate()).toEqual(['0002-bad'])
  })

  it('rejects a file whose first line does not declare its kind', async () => {
    await using t = await setup({ '0001-box.sql': 'create table box (id int)' })
    await expect(t.migrate()).rejects.toThrow('0001-box.sql: the first line must be')
  })

  it('ignores migrations that a later version ran', async () => {
    await using t = await setup({ '0001-box.sql': BOXES })
    await t.migrate()
    await t.database.sql(`insert into schema_migration values ('0002-later', 'abc', now())`)
    expect(await t.migrate()).toEqual([])
    expect(await t.isMigrated()).toBe(true)
  })
})

describe('a schema with different migrations', () => {
  const columns = `select table_name, column_name from information_schema.columns where table_schema = 'boxes' order by 1, 2`

  /** Expects that no migration runs, that nothing changes, and that no process accepts the schema. */
  async function expectRefused(t: Awaited<ReturnType<typeof setup>>, difference: string) {
    const state = () => Promise.all([t.database.sql(columns), t.database.sql('select * from schema_migration')])
    const before = await state()
    await expect(t.migrate()).rejects.toThrow(difference)
    await expect(t.isMigrated()).rejects.toThrow('Nothing was changed. Run the version that created the schema')
    expect(await state()).toEqual(before)
  }

  it('is rejected if it is older than the first release, whatever the names of its steps', async () => {
    for (const names of [[], ['0001-box'], ['0001-box', '0004-counters']]) {
      await using t = await setup({ '0001-box.sql': BOXES, '0002-index.sql': INDEX })
      await t.database.sql('create table schema_migration (name text primary key, timestamp text not null)')
      await t.database.sql('create table box (id int primary key)')
      for (const name of names) await t.database.sql('insert into schema_migration values ($1, now())', [name])
      await expectRefused(t, 'has different migrations than this version: they ran before the first release')
    }
  })

  it('is rejected if an applied step has another name, or a new step precedes it', async () => {
    await using t = await setup({ '0001-box.sql': BOXES, '0003-index.sql': INDEX })
    await t.migrate()
    await t.write('0002-lid.sql', '-- compatible\nalter table box add column lid int')
    await expectRefused(t, 'its migration 2 is "0003-index" instead of "0002-lid"')
  })

  it('is rejected if the content of an applied step differs, except in its line endings', async () => {
    await using t = await setup({ '0001-box.sql': BOXES })
    await t.migrate()
    await t.write('0001-box.sql', BOXES.replaceAll('\n', '\r\n'))
    await t.write('0002-index.sql', INDEX)
    expect(await t.migrate()).toEqual(['0002-index'])
    await t.write('0001-box.sql', BOXES.replace('size int', 'size bigint'))
    await t.write('0003-lid.sql', '-- compatible\nalter table box add column lid int')
    await expectRefused(t, 'its migration 1 differs in content from "0001-box"')
  })
})

it('fails if Postgres accepts connections but never responds', async () => {
  await using t = await setup({ '0001-box.sql': BOXES })
  const url = new URL(t.database.url)
  await using proxy = await startChaosProxy({ host: url.hostname, port: Number(url.port) })
  proxy.setWeather({ kind: 'blackhole' })
  url.host = `${proxy.host}:${proxy.port}`
  await expect(migrate({ url: url.href, schema: 'boxes', folder: t.folder })).rejects.toThrow('timeout expired')
})

describe('a step that needs a lock of another session', () => {
  const lid = '-- compatible\nalter table box add column lid int'

  it('repeats its lock request so that writes continue, logs its blockers, and finishes when the lock is free', async () => {
    await using t = await setup({ '0001-box.sql': BOXES })
    await t.migrate()
    await t.write('0002-lid.sql', lid)
    const reader = await t.connect()
    await reader.query(`begin; set application_name = 'long-report'; select from box`)
    const migrating = t.migrate()
    const isTold = () => t.lines.find(({ msg }) => msg === 'a migration is waiting for other sessions')
    await waitFor(isTold, { what: 'the job to say for whom it waits' })
    expect(isTold()).toMatchObject({ step: '0002-lid', blockedBy: [{ application: 'long-report' }] })
    const writer = await t.connect()
    await writer.query(`set statement_timeout = '5s'`)
    const triedAgain = () => t.lines.filter(({ msg }) => msg === 'a migration got no lock, retrying')
    for (let id = 100; triedAgain().length < 3; id += 1) await writer.query('insert into box values ($1)', [id])
    await reader.query('commit')
    expect(await migrating).toEqual(['0002-lid'])
  })

  it('fails without any change when the wait is over', async () => {
    await using t = await setup({ '0001-box.sql': BOXES })
    await t.migrate()
    await t.write('0002-lid.sql', lid)
    const reader = await t.connect()
    await reader.query('begin; select from box')
    await expect(t.migrate(1)).rejects.toThrow('0002-lid: no lock within 0.001 s')
    expect(await t.isMigrated()).toBe(false)
  })
})

describe('an online step', () => {
  /** Selects the job that waits for writers. Earlier, its index is not committed, and a killed job leaves nothing. */
  const builder = `select pid from pg_stat_progress_create_index where phase = 'waiting for writers before build'`

  it('creates its index while writes continue and another job waits', async () => {
    await using t = await setup({ '0001-box.sql': BOXES })
    await t.migrate()
    await t.write('0002-index.sql', INDEX)
    const writer = await t.connect()
    await writer.query('begin; insert into box values (100)')
    const jobs = Promise.all([t.migrate(), t.migrate()])
    await waitFor(async () => (await column(t, builder)).length > 0, { what: 'the index to be under way' })
    const other = await t.connect()
    await other.query('insert into box values (101)')
    await writer.query('commit')
    expect((await jobs).flat()).toEqual(['0002-index'])
    expect(await column(t, `select indisvalid from pg_index where indexrelid = 'box_size'::regclass`)).toEqual([true])
  })

  it('re-creates the index that a killed job left incomplete', async () => {
    await using t = await setup({ '0001-box.sql': BOXES })
    await t.migrate()
    await t.write('0002-index.sql', INDEX)
    const writer = await t.connect()
    await writer.query('begin; insert into box values (100)')
    const killed = t.migrate().then(() => null, (error: unknown) => error) // biome-ignore format: one line
    await waitFor(async () => (await column(t, builder)).length > 0, { what: 'the index to be under way' })
    await t.database.sql(`select pg_terminate_backend(pid) from (${builder}) as builder`)
    expect(await killed).toBeInstanceOf(Error)
    const isValid = `select indisvalid from pg_index where indexrelid = 'box_size'::regclass`
    expect(await column(t, isValid)).toEqual([false])
    await writer.query('commit')
    expect(await t.migrate()).toEqual(['0002-index'])
    expect(await column(t, isValid)).toEqual([true])
  })
})

describe('a step in batches', () => {
  it('commits each batch, and a new job continues where a failed one stopped', async () => {
    await using t = await setup({ '0001-box.sql': BOXES })
    await t.migrate()
    await t.write('0002-sizes.sql', SIZES)
    const holder = await t.connect()
    await holder.query('begin; select from box where id = 15 for update')
    await expect(t.migrate(1)).rejects.toThrow('no lock')
    expect(await column(t, 'select count(*)::int from box where size = 1')).toEqual([10])
    await holder.query('commit')
    expect(await t.migrate()).toEqual(['0002-sizes'])
    expect(await column(t, 'select distinct size from box')).toEqual([1])
    expect(await column(t, 'select name from schema_migration_batch')).toEqual([])
  })

  it('without a position is repeated until it returns no row', async () => {
    const smaller = `-- compatible, batches
      delete from box where id in (select id from box where id > 3 limit 10) returning id`
    await using t = await setup({ '0001-box.sql': BOXES, '0002-smaller.sql': smaller })
    await t.migrate()
    expect(await column(t, 'select id from box order by id')).toEqual([1, 2, 3])
  })
})

describe('isMigrated', () => {
  it('is true only when every file of the folder has run', async () => {
    await using t = await setup({ '0001-box.sql': BOXES })
    expect(await t.isMigrated()).toBe(false)
    await t.migrate()
    expect(await t.isMigrated()).toBe(true)
    await t.write('0002-more.sql', '-- compatible\ninsert into box values (26)')
    expect(await t.isMigrated()).toBe(false)
  })
})

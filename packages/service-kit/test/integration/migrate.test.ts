import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createTestDatabase } from '@tideport/testing/postgres'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/database.ts'
import { createLogger } from '../../src/logger.ts'
import { isMigrated, migrate } from '../../src/migrate.ts'

const FIRST = `-- compatible
create table box (id int primary key);
insert into box values (1), (2);`

async function setup(files: Record<string, string>) {
  const stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'tideport-migrations-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const write = (name: string, text: string) => writeFile(join(directory, name), text)
  for (const [name, text] of Object.entries(files)) await write(name, text)
  const database = stack.use(await createTestDatabase({ schema: 'boxes' }))
  const log = createLogger({ service: 'test', level: 'silent' })
  const db = stack.use(
    openDatabase<unknown>({ databaseUrl: database.url, databasePoolSize: 1, schema: 'boxes', name: 'test', log }),
  )
  const folder = pathToFileURL(`${directory}/`)
  return {
    write,
    database,
    migrate: () => migrate({ url: database.url, schema: 'boxes', folder }),
    isMigrated: () => isMigrated(db, folder),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

describe('migrate', () => {
  it('runs the files in the order of their names, each once', async () => {
    await using t = await setup({
      '0002-more.sql': 'insert into box values (3)',
      '0001-box.sql': FIRST,
      'notes.md': '',
    })
    expect(await t.migrate()).toEqual(['0001-box', '0002-more'])
    expect(await t.migrate()).toEqual([])
    await t.write('0003-rest.sql', 'insert into box values (4)')
    expect(await t.migrate()).toEqual(['0003-rest'])
    expect(await t.database.sql('select id from boxes.box order by id')).toHaveLength(4)
  })

  it('lets several jobs at once do the work of one', async () => {
    await using t = await setup({ '0001-box.sql': FIRST })
    const runs = await Promise.all([t.migrate(), t.migrate(), t.migrate()])
    expect(runs.flat()).toEqual(['0001-box'])
  })

  it('changes nothing when one file fails', async () => {
    await using t = await setup({ '0001-box.sql': FIRST, '0002-bad.sql': 'insert into nowhere values (1)' })
    await expect(t.migrate()).rejects.toThrow('nowhere')
    expect(await t.database.sql("select from pg_tables where tablename = 'box'")).toHaveLength(0)
  })
})

describe('isMigrated', () => {
  it('is true only when every file of the folder was run', async () => {
    await using t = await setup({ '0001-box.sql': FIRST })
    expect(await t.isMigrated()).toBe(false)
    await t.migrate()
    expect(await t.isMigrated()).toBe(true)
    await t.write('0002-more.sql', 'insert into box values (3)')
    expect(await t.isMigrated()).toBe(false)
  })
})

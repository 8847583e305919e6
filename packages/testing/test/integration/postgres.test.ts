import pg from 'pg'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../src/postgres.ts'

const migrated = { schema: 'notes', migrations: new URL('./migrations/', import.meta.url) }

it('gives every caller a migrated database of its own', async () => {
  await using one = await createTestDatabase(migrated)
  await using other = await createTestDatabase(migrated)
  await one.sql('insert into note (text) values ($1)', ['only here'])
  expect(await one.sql('select text from note order by id')).toEqual([
    { text: 'from the migration' },
    { text: 'only here' },
  ])
  expect(await other.sql('select text from note')).toEqual([{ text: 'from the migration' }])
})

it('connects as a role that owns its schema and nothing else', async () => {
  await using database = await createTestDatabase(migrated)
  const [row] = await database.sql<{ role: string; schema: string }>(
    'select current_user as role, current_schema as schema',
  )
  expect(row).toEqual({ role: 'notes', schema: 'notes' })
  await expect(database.sql('create table public.elsewhere (id int)')).rejects.toThrow('permission denied')
  await expect(database.sql('create role mighty')).rejects.toThrow('permission denied')
})

it('makes one template however many ask for it at once, and an empty one without migrations', async () => {
  const asked = Array.from({ length: 4 }, () => createTestDatabase({ schema: 'empty' }))
  const databases = await Promise.all(asked)
  const [first] = databases
  const templates = await first?.sql(`select datname from pg_database where datname like 'template_empty_%'`)
  expect(templates).toHaveLength(1)
  for (const database of databases) await database.dispose()
})

it('drops the database with whoever is still connected', async () => {
  const database = await createTestDatabase(migrated)
  await using neighbour = await createTestDatabase(migrated)
  const lingering = new pg.Client(database.adminUrl)
  const closed = new Promise((resolve) => lingering.once('end', resolve))
  lingering.on('error', () => {}) // the very thing: the server ends the connection
  await lingering.connect()
  await database.dispose()
  await closed
  const name = new URL(database.url).pathname.slice(1)
  expect(await neighbour.sql('select from pg_database where datname = $1', [name])).toEqual([])
})

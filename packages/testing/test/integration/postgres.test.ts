import { expect, it } from 'vitest'
import { createTestDatabase } from '../../src/postgres.ts'

const migrated = { schema: 'notes', migrations: new URL('./migrations/', import.meta.url) }

it('connects as a role that owns its schema and nothing else', async () => {
  await using database = await createTestDatabase(migrated)
  const [row] = await database.sql<{ role: string; schema: string }>(
    'select current_user as role, current_schema as schema',
  )
  expect(row).toEqual({ role: 'notes', schema: 'notes' })
  await expect(database.sql('create table public.elsewhere (id int)')).rejects.toThrow('permission denied')
  await expect(database.sql('create role mighty')).rejects.toThrow('permission denied')
})

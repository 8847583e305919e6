import { fileURLToPath } from 'node:url'
import { createTestDatabase } from '@tideport/testing/postgres'
import { expect, test } from 'vitest'
import { isMigrated } from '../../src/provisioning/is-migrated.ts'

const checkout = fileURLToPath(new URL('../../../../', import.meta.url))
const migrations = new URL('../../../../services/auth/migrations/', import.meta.url)

test('a schema needs no job only while it has exactly the steps of this checkout', async () => {
  await using database = await createTestDatabase({ schema: 'auth', migrations })
  const { url, sql } = database
  expect(await isMigrated('auth', url, checkout)).toBe(true)
  await sql(`update schema_migration set checksum = 'other'`)
  expect(await isMigrated('auth', url, checkout)).toBe(false)
  await sql('delete from schema_migration')
  expect(await isMigrated('auth', url, checkout)).toBe(false)
  expect(await isMigrated('auth', 'postgres://nobody@127.0.0.1:9/none', checkout)).toBe(false)
})

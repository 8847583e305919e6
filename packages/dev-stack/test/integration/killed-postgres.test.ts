import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import pg from 'pg'
import { expect, test } from 'vitest'
import { launchPostgres } from '../../src/servers/postgres/launch-postgres.ts'

test('what was committed survives kill -9 also when durability is given up', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const options = { dataDir: dir.path, durable: false }
  const first = await launchPostgres(options)
  const writer = await connect(first.url)
  await writer.query('create table kept (n int)')
  for (let n = 1; n <= 20; n++) await writer.query('insert into kept values ($1)', [n])
  first.kill()
  await first.exited

  await using second = await launchPostgres(options)
  const reader = await connect(second.url)
  expect((await reader.query('select count(*)::int as count from kept')).rows).toEqual([{ count: 20 }])
})

/** The server's end cuts it off, which is no error here. */
async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  return client
}

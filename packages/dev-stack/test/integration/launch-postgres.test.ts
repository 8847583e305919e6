import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, test } from 'vitest'
import { StartError } from '../../src/processes/await-ready.ts'
import { launchPostgres } from '../../src/servers/postgres/launch-postgres.ts'
import { query } from '../query.ts'

test('keeps committed rows after a stop and after a kill -9, on the same port', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const options = { dataDir: dir.path, durable: false }
  const first = await launchPostgres(options)
  expect(first.home).toBe(dir.path)
  await query(first.url, 'create table kept as select 1 as at')
  await first.stop()

  const second = await launchPostgres({ ...options, port: first.port })
  expect(second.url).toBe(first.url)
  await query(second.url, 'insert into kept values (2)')
  second.kill()
  expect(await second.exited).toMatchObject({ signal: 'SIGKILL' })

  await using third = await launchPostgres({ ...options, port: first.port })
  expect(await query(third.url, 'select at from kept order by at')).toEqual([1, 2])
})

test('is durable unless durability is off, requires the password, and has enough connections for a stack', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const safe = await launchPostgres({ dataDir: dir.path })
  expect(await query(safe.url, 'show fsync')).toEqual(['on'])
  await safe.stop()
  await using server = await launchPostgres({ dataDir: dir.path, durable: false })
  expect(await query(server.url, 'show fsync')).toEqual(['off'])
  const wrong = new URL(server.url)
  wrong.password = 'wrong'
  await expect(query(wrong.href, 'select 1')).rejects.toThrow('password authentication failed')
  expect(await query(server.url, 'show max_connections')).toEqual(['300'])
  expect(await query(server.url, 'show listen_addresses')).toEqual(['127.0.0.1'])
  expect(await query(server.url, 'show server_encoding')).toEqual(['UTF8'])
})

test('starts after a crash even if another program now has the pid of the lock file', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const first = await launchPostgres({ dataDir: dir.path, durable: false })
  first.kill()
  await first.exited
  const lock = join(first.home, 'cluster/postmaster.pid')
  const lines = (await readFile(lock, 'utf8')).split('\n')
  await writeFile(lock, [process.pid, ...lines.slice(1)].join('\n')) // this process runs, but is not Postgres

  await using second = await launchPostgres({ dataDir: dir.path, durable: false })
  expect(await query(second.url, 'select 1')).toEqual([1])
})

test('reports the last output of a server that cannot start', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const first = await launchPostgres({ dataDir: dir.path, durable: false })
  await first.stop()
  await writeFile(join(first.home, 'cluster/postgresql.conf'), 'no_such_setting = 1\n')
  const failure = launchPostgres({ dataDir: dir.path, durable: false })
  await expect(failure).rejects.toThrow(StartError)
  await expect(failure).rejects.toThrow('no_such_setting')
})

test('does not start on data of another major version of Postgres', async () => {
  await using dir = await createTemporaryDirectory('dev-stack')
  const first = await launchPostgres({ dataDir: dir.path, durable: false })
  await first.stop()
  await writeFile(join(first.home, 'cluster/PG_VERSION'), '17\n')
  await expect(launchPostgres({ dataDir: dir.path })).rejects.toThrow(
    /was created by Postgres 17, but .* Postgres 18\./,
  )
})

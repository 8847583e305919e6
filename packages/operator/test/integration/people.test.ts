import { randomUUID } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { withClient } from '@tideport/set-up/prepare-database'
import { provided } from '@tideport/testing/provided'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { compare } from 'bcryptjs'
import { expect, it } from 'vitest'
import { people } from '../../src/people.ts'

const addresses = {
  SIGN_IN_URL: 'https://login.example.org',
  PUBLIC_URL: 'https://files.example.org/',
  SIGN_IN_DATABASE_URL: 'postgres://sign_in:p%40ss@postgres:5432/sign_in',
}

async function openPeople() {
  const directory = await createTemporaryDirectory('people')
  const file = join(directory.path, 'config.json')
  const log = createLogger({ service: 'test', level: 'silent' })
  const run = async (args: string[], env: Record<string, string> = addresses) => {
    const lines: string[] = []
    const print = (line: string) => void lines.push(line)
    await people.run({ args: [...args, '--file', file], env, log, print, signal: AbortSignal.timeout(60_000) })
    return lines
  }
  const configuration = async () => JSON.parse(await readFile(file, 'utf8'))
  return { run, file, configuration, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() }
}

it('creates people with generated passwords, replaces a password, and keeps the ID of the account', async () => {
  await using t = await openPeople()
  const [first = ''] = await t.run(['add', 'Ada@Example.org'])
  const [before] = (await t.configuration()).staticPasswords
  expect(first).toMatch(/^[\w-]{32}$/)
  expect(before).toMatchObject({ email: 'ada@example.org', userID: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(await compare(first, before.hash)).toBe(true)
  await t.run(['add', 'bob@example.org'])
  const [second = ''] = await t.run(['add', 'ada@example.org'])
  expect(await t.run([])).toEqual(['bob@example.org', 'ada@example.org'])
  const { staticPasswords } = await t.configuration()
  expect(staticPasswords[1].userID).toBe(before.userID)
  expect(await compare(second, staticPasswords[1].hash)).toBe(true)
  expect(await compare(first, staticPasswords[1].hash)).toBe(false)
  await t.run(['remove', 'ada@example.org'])
  expect(await t.run([])).toEqual(['bob@example.org'])
  await t.run(['add', 'ada@example.org'])
  expect((await t.configuration()).staticPasswords[1].userID).toBe(before.userID)
  await t.run(['remove', 'ada@example.org'])
  await expect(t.run(['remove', 'ada@example.org'])).rejects.toThrow('ada@example.org is not one of the people')
})

it('keeps people when the addresses change, prepares the database of Dex, and lets Dex read the file', async () => {
  await using t = await openPeople()
  await t.run(['add', 'ada@example.org'])
  const { staticPasswords, storage } = await t.configuration()
  expect(storage.config).toMatchObject({ host: 'postgres', database: 'sign_in', user: 'sign_in', password: 'p@ss' })
  const { adminUrl } = provided('postgres')
  const name = `sign_in_${randomUUID().slice(0, 8)}`
  const url = Object.assign(new URL(adminUrl), { username: name, password: 'first', pathname: `/${name}` }).href
  const moved = { SIGN_IN_URL: 'http://localhost:5556', PUBLIC_URL: 'http://localhost:8080', SIGN_IN_DATABASE_URL: url, ADMIN_DATABASE_URL: adminUrl } // biome-ignore format: one environment
  for (const _ of ['once', 'again']) await t.run(['configure'], moved)
  await withClient(url, async (client) => void (await client.query('create table public.mine (id int)')))
  await withClient(adminUrl, async (client) => {
    await client.query(`drop database ${name} with (force)`)
    await client.query(`drop role ${name}`)
  })
  const now = await t.configuration()
  expect(now).toMatchObject({ issuer: 'http://localhost:5556', web: { allowedOrigins: ['http://localhost:8080'] } })
  expect(now.staticClients[0].redirectURIs).toEqual(['http://localhost:8080/console/', '/device/callback'])
  expect(now.staticPasswords).toEqual(staticPasswords)
  expect(now.expiry.refreshTokens).toEqual({ validIfNotUsedFor: '168h', absoluteLifetime: '720h' })
  expect((await stat(t.file)).mode & 0o777).toBe(0o444)
})

it.each([
  [['add', 'ada@example.org'], { ...addresses, SIGN_IN_URL: '' }, 'SIGN_IN_URL: is required'],
  [
    ['add', 'ada@example.org'],
    { ...addresses, SIGN_IN_URL: 'https://login.example.org/dex' },
    'must be an address without a path',
  ],
  [['add'], addresses, 'name an email address'],
  [['add', 'ada'], addresses, 'name an email address'],
  [['add', 'ada@example.org', 'x'], addresses, 'name one action and one person'],
  [['invite', 'ada@example.org'], addresses, 'unknown action invite'],
] as const)('rejects %j with the environment %j', async (args, env, sentence) => {
  await using t = await openPeople()
  await expect(t.run([...args], env)).rejects.toThrow(sentence)
})

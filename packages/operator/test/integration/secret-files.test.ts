import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { expect, it } from 'vitest'
import { keepSecretFiles } from '../../src/secret-files.ts'

const servers = { postgres: 'postgres:5432', nats: 'nats:4222' }

async function readAll(dir: string): Promise<Record<string, string>> {
  const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')])))
}

it('creates a separate user and password for each NATS client', async () => {
  await using directory = await createTemporaryDirectory('secrets')
  await keepSecretFiles(directory.path, servers)
  const of = (reader: string, name: string) => readFile(join(directory.path, reader, name), 'utf8')
  const [, json = ''] = /^authorization (.*)$/s.exec(await of('nats', 'NATS_SERVER_CONFIGURATION')) ?? []
  const passwordOf = new Map<string, string>(
    JSON.parse(json).users.map(({ user, password }: { user: string; password: string }) => [user, password]),
  )
  const clients = ['set-up', 'operator', 'auth', 'files', 'sync', 'eviction', 'webhooks']
  expect([...passwordOf.keys()]).toEqual(clients)
  expect(new Set(passwordOf.values()).size).toBe(clients.length)
  for (const client of clients) {
    const password = passwordOf.get(client)
    expect(password).toMatch(/^.{32}$/)
    expect(await of(client, 'NATS_URL')).toBe(`nats://${client}:${password}@nats:4222\n`)
  }
  expect(await readdir(join(directory.path, 'gateway'))).toEqual(['IDENTITY_TOKEN_PRIVATE_KEY'])
})

it('makes secrets readable only for their owner, except those of third-party images', async () => {
  await using directory = await createTemporaryDirectory('secrets')
  await keepSecretFiles(directory.path, servers)
  const secrets = Object.keys(await readAll(directory.path)).filter((path) => !path.includes('/complete'))
  for (const path of secrets) {
    const isOthers = /\/(postgres|nats)\/[A-Z_]+$/.test(path)
    expect((await stat(path)).mode & 0o777, path).toBe(isOthers ? 0o444 : 0o600)
  }
})

it('keeps existing files, and adds only the NATS users that an older installation lacks', async () => {
  await using directory = await createTemporaryDirectory('secrets')
  await keepSecretFiles(directory.path, servers)
  const first = await readAll(directory.path)
  await keepSecretFiles(directory.path, servers)
  expect(await readAll(directory.path)).toEqual(first)
  const ofNats = Object.keys(first).filter((path) => /complete-nats|NATS_SERVER_CONFIGURATION|NATS_URL/.test(path))
  for (const path of ofNats) await rm(path)
  await keepSecretFiles(directory.path, servers)
  const second = await readAll(directory.path)
  expect(Object.keys(second).toSorted()).toEqual(Object.keys(first).toSorted())
  for (const [path, text] of Object.entries(second)) {
    if (ofNats.includes(path) && text !== '') expect(text).not.toBe(first[path])
    else expect(text).toBe(first[path])
  }
})

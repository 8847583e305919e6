import { randomBytes } from 'node:crypto'
import { provided } from '@tideport/testing/provided'
import { expect, it } from 'vitest'
import { type DatabaseUrls, prepareDatabase, withClient } from '../../src/prepare-database.ts'

/** Names on the shared server that only this test uses; all are deleted on disposal. */
async function newNames() {
  const { adminUrl } = provided('postgres')
  const suffix = randomBytes(6).toString('hex')
  const names = { database: `set_up_${suffix}`, admin: `admin_${suffix}`, files: `files_${suffix}` }
  const urlOf = (role: string, password: string) =>
    Object.assign(new URL(adminUrl), { username: role, password, pathname: `/${names.database}` }).href
  const roles = [`auth_${suffix}`, names.files, `webhooks_${suffix}`, names.admin]
  return {
    ...names,
    superuserUrl: adminUrl,
    urlOf,
    ownersUrls: (password = 'p:w@d/'): DatabaseUrls => ({
      auth: urlOf(`auth_${suffix}`, password),
      files: urlOf(names.files, password),
      webhooks: urlOf(`webhooks_${suffix}`, password),
    }),
    async [Symbol.asyncDispose]() {
      await withClient(adminUrl, async (client) => {
        await client.query(`drop database if exists ${names.database} with (force)`)
        for (const role of roles) await client.query(`drop role if exists ${role}`)
      })
    },
  }
}

async function mayUse(url: string, schema: string): Promise<boolean> {
  return await withClient(url, async (client) => {
    await client.query(`set search_path = ${schema}`)
    await client.query('create table if not exists mine (id int)')
    return true
  })
}

it('creates the database, roles, and schemas once; repeats, even concurrent ones, only set the passwords', async () => {
  await using names = await newNames()
  await Promise.all([1, 2, 3].map(() => prepareDatabase(names.superuserUrl, names.ownersUrls('first'))))
  const urls = names.ownersUrls('second/@:')
  await prepareDatabase(names.superuserUrl, urls)
  for (const owner of ['auth', 'files', 'webhooks'] as const) expect(await mayUse(urls[owner], owner)).toBe(true)
  await expect(mayUse(names.ownersUrls('first').auth, 'auth')).rejects.toThrow(/password/)
  await expect(mayUse(urls.auth, 'files')).rejects.toThrow(/permission|no schema/)
})

it('works without a superuser, except that rows of failed statements then appear in the server log', async () => {
  await using names = await newNames()
  await withClient(names.superuserUrl, async (client) => {
    await client.query(`create role ${names.admin} login createrole createdb password 'admin'`)
  })
  const maintenance = Object.assign(new URL(names.urlOf(names.admin, 'admin')), { pathname: '/postgres' }).href
  const verbosities = () =>
    Promise.all(
      Object.values(names.ownersUrls()).map((url) =>
        withClient(url, async (client) => (await client.query('show log_error_verbosity')).rows[0].log_error_verbosity),
      ),
    )
  for (const _ of [1, 2]) await prepareDatabase(maintenance, names.ownersUrls())
  for (const owner of ['auth', 'files', 'webhooks'] as const) {
    expect(await mayUse(names.ownersUrls()[owner], owner)).toBe(true)
  }
  expect(await verbosities()).toEqual(['default', 'default', 'default'])
  await prepareDatabase(names.superuserUrl, names.ownersUrls())
  expect(await verbosities()).toEqual(['terse', 'terse', 'terse'])
})

it('creates the three schemas with a role that only owns its database', async () => {
  await using names = await newNames()
  await withClient(names.superuserUrl, async (client) => {
    await client.query(`create role ${names.admin} login password 'app'`)
    await client.query(`create database ${names.database} owner ${names.admin}`)
  })
  const url = names.urlOf(names.admin, 'app')
  for (const _ of [1, 2]) await prepareDatabase(url, { auth: url, files: url, webhooks: url })
  for (const owner of ['auth', 'files', 'webhooks']) expect(await mayUse(url, owner)).toBe(true)
})

it('rejects owners of different databases', async () => {
  const urls = { auth: 'postgres://a@h/one', files: 'postgres://f@h/two', webhooks: 'postgres://w@h/one' }
  await expect(prepareDatabase('postgres://h/', urls)).rejects.toThrow('must name the same database')
})

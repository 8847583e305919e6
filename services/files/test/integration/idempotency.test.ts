import { startS3 } from '@tideport/testing/s3'
import { waitFor } from '@tideport/testing/wait-for'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, setup } from '../bundle.ts'
import { clientOf, put } from '../client.ts'

let t: Bundle
beforeAll(async () => {
  t = await setup({ env: { ACCOUNT_QUOTA_BYTES: '1000' } })
})
afterAll(() => t[Symbol.asyncDispose]())

type Client = ReturnType<typeof clientOf>
const repeatable = (client: Client, path: string, key: string) => (json: object) =>
  client.call('POST', path, { json, headers: { 'idempotency-key': key } })

async function uploads(client: Client, key: string = crypto.randomUUID()) {
  const vaultId = await client.defaultVault()
  const request = repeatable(client, '/api/files/upload', key)
  return (fields: object = {}) => request({ name: 'a.txt', mimeType: 'text/plain', sizeBytes: 5, vaultId, ...fields })
}

describe('Idempotency-Key', () => {
  it('makes one vault of any number of equal requests, also at once', async () => {
    const client = clientOf(t)
    const create = repeatable(client, '/api/vaults', 'k')
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ name: 'A', visibility: 'public' })))
    answers.push(await create({ visibility: 'public', name: 'A', unknown: 1 }))
    expect(answers.map(({ status }) => status)).toEqual(Array(11).fill(201))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect((await client.call('GET', '/api/vaults')).body.vaults).toHaveLength(2)
    expect((await client.call('GET', '/api/account')).body.usage.vaultCount).toBe(2)
  })

  it('makes one upload, and every answer has a URL that works', async () => {
    const client = clientOf(t)
    const request = await uploads(client)
    const answers = await Promise.all(Array.from({ length: 10 }, () => request()))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201))
    expect(new Set(answers.map(({ body }) => body.fileId)).size).toBe(1)
    for (const { body } of answers) expect((await put(body, 'hello')).status).toBe(200)
    const { fileId } = answers[0]?.body ?? {}
    expect((await client.call('POST', `/api/files/${fileId}/confirm`)).body.status).toBe('hot')
    expect((await client.call('GET', '/api/account')).body.usage).toMatchObject({ fileCount: 1, storageBytes: 5 })
    expect(await request()).toMatchObject({ status: 409, body: { code: 'state_conflict', details: { fileId } } })
    await client.call('DELETE', `/api/files/${fileId}?permanent=true`)
    expect(await request()).toMatchObject({ status: 404 })
  })

  it('is 404 for the vault of somebody who has nothing yet', async () => {
    const request = repeatable(clientOf(t), '/api/files/upload', 'k')
    const upload = { name: 'a.txt', mimeType: 'text/plain', sizeBytes: 5, vaultId: crypto.randomUUID() }
    expect(await request(upload)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it('closes no circle with others who wait for the account', async () => {
    const client = clientOf(t)
    const request = await uploads(client)
    const holder = await t.db.startTransaction().execute()
    const hold = (strength: string) =>
      sql`select from account where id = ${client.accountId} for ${sql.raw(strength)}`.execute(holder)
    await hold('no key update')
    const answer = request()
    const isWaiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await waitFor(async () => (await t.database.sql(isWaiting)).length > 0)
    await hold('update')
    await holder.commit().execute()
    expect((await answer).status).toBe(201)
  })

  it('goes on where a request was cut off by the store', async () => {
    await using s3 = await startS3()
    await using own = await setup({ s3: s3.settings })
    const client = clientOf(own)
    const request = await uploads(client)
    await s3.kill()
    expect((await request()).status).toBe(503)
    await s3.start()
    const { status, body } = await request()
    expect([status, (await put(body, 'hello')).status]).toEqual([201, 200])
    expect((await client.call('GET', '/api/account')).body.usage).toMatchObject({ fileCount: 1 })
  })

  it('refuses another request under the same key with 422, on another endpoint too', async () => {
    const client = clientOf(t)
    const key = crypto.randomUUID()
    const request = await uploads(client, key)
    expect((await request()).status).toBe(201)
    for (const answer of [
      await request({ sizeBytes: 6 }),
      await repeatable(client, '/api/vaults', key)({ name: 'A', visibility: 'public' }),
    ]) {
      expect(answer).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
    }
    const other = await uploads(clientOf(t), key)
    expect((await other()).status).toBe(201)
  })

  it('stays free when the request was refused', async () => {
    const client = clientOf(t)
    const first = (await (await uploads(client))({ sizeBytes: 996 })).body
    const request = await uploads(client)
    expect(await request()).toMatchObject({ status: 403, body: { code: 'quota_exceeded' } })
    await client.call('DELETE', `/api/files/${first.fileId}`)
    expect((await request()).status).toBe(201)
  })

  it('is forgotten after 24 hours', async () => {
    const client = clientOf(t)
    const create = repeatable(client, '/api/vaults', 'k')
    const { body: first } = await create({ name: 'A', visibility: 'public' })
    await t.database.sql(`update idempotency_key set created_at = now() - interval '23 hours' where account_id = $1`, [
      client.accountId,
    ])
    expect((await create({ name: 'A', visibility: 'public' })).body.id).toBe(first.id)
    await t.database.sql(`update idempotency_key set created_at = now() - interval '24 hours' where account_id = $1`, [
      client.accountId,
    ])
    const { status, body: second } = await create({ name: 'B', visibility: 'public' })
    expect([status, second.name]).toEqual([201, 'B'])
    expect((await create({ name: 'B', visibility: 'public' })).body.id).toBe(second.id)
  })

  it.each(['', 'x'.repeat(256), 'é'])('that is no key is 400: %j', async (key) => {
    const answer = await repeatable(clientOf(t), '/api/vaults', key)({ name: 'A', visibility: 'public' })
    expect(answer).toMatchObject({ status: 400, body: { details: { issues: [{ path: 'idempotency-key' }] } } })
  })

  it('may have 255 characters', async () => {
    const create = repeatable(clientOf(t), '/api/vaults', 'x'.repeat(255))
    expect((await create({ name: 'A', visibility: 'public' })).status).toBe(201)
  })
})

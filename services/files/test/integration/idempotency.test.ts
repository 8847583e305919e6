import { purgeFile } from '@tideport/file-lifecycle/removal/purge-file'
import { claimVaults, purgeVault } from '@tideport/file-lifecycle/removal/trash-vault'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { startS3 } from '@tideport/testing/s3'
import { waitFor } from '@tideport/testing/wait-for'
import { sql } from 'kysely'
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid'
import { describe, expect, it } from 'vitest'
import { setup, sharedBundle } from '../bundle.ts'
import { type Answer, type Client, clientOf, put, visitorOf } from '../client.ts'

const t = sharedBundle({ env: { ACCOUNT_QUOTA_BYTES: '1000' } })

const repeatable = (client: Client, path: string, key: string) => (json: object) =>
  client.call('POST', path, { json, headers: { 'idempotency-key': key } })

async function uploads(client: Client, key: string = crypto.randomUUID()) {
  const vaultId = await client.defaultVault()
  const request = repeatable(client, '/api/files/upload', key)
  return (fields: object = {}) => request({ name: 'a.txt', mimeType: 'text/plain', sizeBytes: 5, vaultId, ...fields })
}

describe('Idempotency-Key', () => {
  it('creates one vault for any number of equal requests, even concurrent ones', async () => {
    const client = clientOf(t)
    const create = repeatable(client, '/api/vaults', 'k')
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ name: 'A', visibility: 'public' })))
    answers.push(await create({ visibility: 'public', name: 'A', unknown: 1 }))
    expect(answers.map(({ status }) => status)).toEqual(Array(11).fill(201))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect((await client.call('GET', '/api/vaults')).body.vaults).toHaveLength(2)
    expect((await client.call('GET', '/api/account')).body.usage.vaultCount).toBe(2)
  })

  it('creates one upload, and every response has a valid URL', async () => {
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

  it('returns 404 for a vault of an account without data', async () => {
    const request = repeatable(clientOf(t), '/api/files/upload', 'k')
    const upload = { name: 'a.txt', mimeType: 'text/plain', sizeBytes: 5, vaultId: crypto.randomUUID() }
    expect(await request(upload)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it('does not deadlock with other requests that lock the account', async () => {
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

  it('continues a request that the store interrupted', async () => {
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

  it('returns 422 for another request with the same key, also on another endpoint', async () => {
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

  it('remains free after a rejected request', async () => {
    const client = clientOf(t)
    const first = (await (await uploads(client))({ sizeBytes: 996 })).body
    const request = await uploads(client)
    expect(await request()).toMatchObject({ status: 403, body: { code: 'quota_exceeded' } })
    await client.call('DELETE', `/api/files/${first.fileId}`)
    expect((await request()).status).toBe(201)
  })

  it('expires after 24 hours', async () => {
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

  it('may have 1 to 255 ASCII characters', async () => {
    const create = (key: string) => repeatable(clientOf(t), '/api/vaults', key)({ name: 'A', visibility: 'public' })
    const refused = { status: 400, body: { details: { issues: [{ path: 'idempotency-key' }] } } }
    for (const key of ['', 'x'.repeat(256), 'é']) expect(await create(key)).toMatchObject(refused)
    expect((await create('x'.repeat(255))).status).toBe(201)
  })
})

const never = new AbortController().signal
/** An ID from a day ago, as another system would send it. */
const older = () => uuidv7({ msecs: Date.now() - 86_400_000 })
const taken = {
  status: 409,
  body: { code: 'id_taken', error: 'The ID is already in use, or was used before. Choose another ID.' },
}

async function ask(client: Client, id: unknown, { key, ...fields }: Record<string, unknown> = {}): Promise<Answer> {
  const vaultId = await client.defaultVault()
  const json = { name: 'a.txt', mimeType: 'text/plain', sizeBytes: 5, vaultId, id, ...fields }
  return await client.call('POST', '/api/files/upload', {
    json,
    ...(key !== undefined && { headers: { 'idempotency-key': String(key) } }),
  })
}

/** Runs the complete purge of a permanently deleted file. */
async function purge(client: Client, fileId: string): Promise<void> {
  await client.call('DELETE', `/api/files/${fileId}?permanent=true`)
  const outside = { ...t, log: createLogger({ service: 'purging', level: 'silent' }) }
  const settled = `update file set cleanup_after = now(), purge_due_at = now(), claimed_until = null where id = $1`
  do await t.database.sql(settled, [fileId])
  while ((await purgeFile(outside, fileId, never)) !== 'gone')
}

describe('an ID that a client chooses', () => {
  it('identifies vaults, and files of both upload methods', async () => {
    const client = clientOf(t)
    const [vaultId, first, second] = [older(), older(), older()]
    const vault = await client.call('POST', '/api/vaults', {
      json: { id: vaultId.toUpperCase(), name: 'Kept', visibility: 'public' },
    })
    expect(vault).toMatchObject({ status: 201, body: { id: vaultId } })
    expect(await client.hotFile('first', { vaultId, id: first })).toMatchObject({ id: first })
    const path = `/api/vaults/${vaultId}/content/b.txt?id=${second}`
    expect(await client.call('PUT', path)).toMatchObject({ status: 201, body: { id: second } })
    expect((await visitorOf(t)(`/api/public/files/${first}`)).bytes.toString()).toBe('first')
    const { timeline } = (await client.call('GET', `/api/files/${first}/timeline`)).body
    expect(timeline.map(({ type }: { type: string }) => type)).toEqual(['upload.requested', 'file.hot'])
  })

  it('does not reveal that it is in use to a request for a vault of another account', async () => {
    const [owner, stranger] = [clientOf(t), clientOf(t)]
    const vaultId = await owner.defaultVault()
    const { id: held } = await owner.hotFile('a')
    await stranger.defaultVault()
    for (const id of [older(), held]) {
      expect(await ask(stranger, id, { vaultId })).toMatchObject({ status: 404, body: { code: 'not_found' } })
      const put = await stranger.call('PUT', `/api/vaults/${vaultId}/content/b.txt?id=${id}`)
      expect(put).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  })

  it('must be a UUIDv7 that is not in the future', async () => {
    const client = clientOf(t)
    const ahead = (msecs: number) => uuidv7({ msecs: Date.now() + msecs })
    for (const id of [uuidv4(), 'x', '', 7, ahead(3_600_000)]) {
      expect(await ask(client, id)).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    }
    for (const id of [null, undefined, ahead(10_000)]) expect(await ask(client, id)).toMatchObject({ status: 201 })
  })

  it('is rejected with the same message if it is in use, was used, or is in the trash', async () => {
    const [client, other] = [clientOf(t), clientOf(t)]
    await other.defaultVault()
    const [live, trashed, purged] = [await client.hotFile('a'), await client.hotFile('b'), await client.hotFile('c')]
    const vault = await client.createVault('A', 'public')
    const gone = await client.createVault('Gone', 'public')
    await client.call('DELETE', `/api/files/${trashed.id}`)
    await purge(client, purged.id)
    await client.call('DELETE', `/api/vaults/${gone.id}`)
    await t.database.sql('update vault set purge_due_at = now() where id = $1', [gone.id])
    const settle = { settleSeconds: 0, networks: t.networks }
    for (const id of await claimVaults(t.db, 100, settle)) await purgeVault(t.db, id, settle, never)
    expect((await t.database.sql('select from vault where id = $1', [gone.id])).length).toBe(0)
    for (const { id } of [live, trashed, purged, vault, gone, { id: client.accountId }]) {
      for (const who of [client, other]) {
        const asVault = { id, name: 'B', visibility: 'public' }
        expect(await ask(who, id)).toMatchObject(taken)
        expect(await who.call('POST', '/api/vaults', { json: asVault })).toMatchObject(taken)
        const path = `/api/vaults/${await who.defaultVault()}/content/x?id=${id}`
        expect(await who.call('PUT', path)).toMatchObject(taken)
      }
    }
    expect((await other.call('GET', '/api/account')).body.usage).toMatchObject({ fileCount: 0, vaultCount: 1 })
  })

  it('is given to one of several concurrent requests, across accounts and resources', async () => {
    for (const key of [undefined, 'k']) {
      const [id, clients] = [older(), [clientOf(t), clientOf(t)]]
      const asVault = { id, name: 'A', visibility: 'private' }
      const answers = await Promise.all(
        [...clients, ...clients].flatMap((client, index) => [
          ask(client, id, { name: `${index}.txt`, ...(key && { key: `${key}${index}` }) }),
          client.call('POST', '/api/vaults', { json: asVault }),
        ]),
      )
      const [won, ...lost] = answers.toSorted((a, b) => a.status - b.status)
      expect(won?.status).toBe(201)
      for (const answer of lost) expect(answer).toMatchObject(taken)
      const rows = await t.database.sql(
        'select id from file where id = $1 union all select id from vault where id = $1',
        [id],
      )
      expect(rows).toHaveLength(1)
    }
  })

  it('creates one file for equal requests with a key', async () => {
    const [client, id] = [clientOf(t), older()]
    const answers = await Promise.all(Array.from({ length: 6 }, () => ask(client, id, { key: 'k' })))
    for (const { status, body } of answers) expect([status, body.fileId]).toEqual([201, id])
    expect(await ask(client, older(), { key: 'k' })).toMatchObject({ status: 422 })
    expect(await ask(client, id, { key: 'other' })).toMatchObject(taken)
  })

  it('is free again after a rejection, and after the purge of a failed upload', async () => {
    const [client, id] = [clientOf(t), older()]
    expect(await ask(client, id, { vaultId: older() })).toMatchObject({ status: 404 })
    expect(await ask(client, id, { wrappedKey: 'x' })).toMatchObject({ status: 400 })
    expect(await ask(client, id)).toMatchObject({ status: 201 })
    await purge(client, id)
    const other = clientOf(t)
    expect(await ask(other, id)).toMatchObject({ status: 201, body: { fileId: id } })
  })

  it('does not decide which file has a path; the latest file does', async () => {
    const client = clientOf(t)
    await client.hotFile('younger id', { name: 'a' })
    await client.hotFile('came last', { name: 'a', id: older() })
    const path = `/api/vaults/${await client.defaultVault()}/content/a`
    expect((await client.call('GET', path)).bytes.toString()).toBe('came last')
  })
})

import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { postgresWaitHeader, postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { startChaosProxy } from '@tideport/testing/chaos-proxy'
import { isFullRun } from '@tideport/testing/full-run'
import { provided } from '@tideport/testing/provided'
import { createBucket, startS3, type TestBucket } from '@tideport/testing/s3'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { setup } from '../bundle.ts'
import { type Answer, clientOf, put, visitorOf } from '../client.ts'
import { giveUpStoring, makeCold, makeSynced } from '../later-states.ts'

function expectUnavailable({ status, body, headers }: Answer) {
  expect([status, body.code]).toEqual([503, 'unavailable'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
}

/** A proxy to a store, and the store's settings with the address of the proxy. */
async function startStoreProxy({ settings }: { settings: TestBucket['settings'] }) {
  const proxy = await startChaosProxy({ port: Number(new URL(settings.endpoint).port) })
  return { proxy, settings: { ...settings, endpoint: `http://${proxy.host}:${proxy.port}` } }
}

/** A server that never responds is the harder case. */
const kinds = isFullRun ? (['blackhole', 'reset'] as const) : (['blackhole'] as const)

describe.concurrent('while the object storage is down', () => {
  it('uploads return 503 and can be repeated, and files on the network stay readable', async () => {
    await using s3 = await startS3()
    await using t = await setup({ s3: s3.settings })
    const client = clientOf(t)
    const visit = visitorOf(t)
    const vaultId = await client.defaultVault()
    const [hot, synced, cold] = [await client.hotFile('h'), await client.hotFile('s'), await client.hotFile('c')]
    await makeSynced(t, synced.id)
    await makeCold(t, cold.id)
    const { body: open } = await client.requestUpload({ vaultId, sizeBytes: 5 })
    await put(open, 'hello')

    await s3.kill()
    expectUnavailable(await client.requestUpload({ vaultId, sizeBytes: 5 }))
    expectUnavailable(await client.call('POST', `/api/files/${open.fileId}/confirm`))
    expectUnavailable(await visit(`/api/public/files/${hot.id}`))
    expect((await visit(`/api/public/files/${synced.id}`)).bytes.toString()).toBe('s')
    expect((await visit(`/api/public/files/${cold.id}`)).bytes.toString()).toBe('c')
    expect((await client.call('GET', `/api/files/${open.fileId}`)).body.status).toBe('uploading')

    await s3.start()
    expect((await client.call('POST', `/api/files/${open.fileId}/confirm`)).body.status).toBe('hot')
    expect((await visit(`/api/public/files/${hot.id}`)).bytes.toString()).toBe('h')
  })

  it('a started read continues from a slow store, although the network has the file too', async () => {
    const { proxy, settings } = await startStoreProxy(await createBucket())
    await using _proxy = proxy
    await using t = await setup({ s3: settings })
    const bytes = randomBytes(640_000)
    const { id } = await clientOf(t).hotFile(bytes)
    await makeSynced(t, id)
    // From here on, only the store has the bytes.
    await rm(t.directory.path, { recursive: true })
    proxy.setWeather({ kind: 'delay', delayMs: 300 })
    expect((await visitorOf(t)(`/api/public/files/${id}`)).bytes.equals(bytes)).toBe(true)
  })

  it.each(kinds)('(%s) every route that needs it returns 503', async (kind) => {
    const { proxy, settings } = await startStoreProxy(await createBucket())
    await using _proxy = proxy
    await using t = await setup({ s3: settings })
    const client = clientOf(t)
    const vaultId = await client.defaultVault()
    const [hot, failed, synced] = [await client.hotFile('h'), await client.hotFile('f'), await client.hotFile('s')]
    await makeSynced(t, synced.id)
    await giveUpStoring(t, failed.id, 'network_refused')
    const { body: open } = await client.requestUpload({ vaultId, sizeBytes: 5 })
    await put(open, 'hello')

    proxy.setWeather({ kind })
    if (kind === 'reset') proxy.cut()
    const upload = (name: string) => ({ vaultId, name, mimeType: 'text/plain', sizeBytes: 5 })
    const begin = (name: string) =>
      client.call('POST', '/api/files/upload', { json: upload(name), headers: { 'idempotency-key': name } })
    const answers = await Promise.all([
      begin('a'),
      client.call('POST', `/api/files/${open.fileId}/confirm`),
      client.call('GET', `/api/files/${open.fileId}/parts`),
      client.call('POST', `/api/files/${failed.id}/retry`),
      visitorOf(t)(`/api/public/files/${hot.id}`),
    ])
    for (const answer of answers) expectUnavailable(answer)
    // Routes that only sign URLs, or can read from the network.
    expect((await client.call('GET', `/api/files/${hot.id}/download`)).status).toBe(200)
    const renewed = await client.call('POST', `/api/files/${open.fileId}/upload-urls`, { json: { partNumbers: [1] } })
    expect(renewed.status).toBe(200)
    expect((await visitorOf(t)(`/api/public/files/${synced.id}`)).bytes.toString()).toBe('s')

    proxy.setWeather({ kind: 'pass' })
    proxy.cut()
    expect((await client.call('POST', `/api/files/${open.fileId}/confirm`)).body.status).toBe('hot')
    expect((await begin('a')).status).toBe(201)
    const [{ count }] = (await t.database.sql(`select count(*)::int from file where name = 'a'`)) as [{ count: number }]
    expect(count).toBe(1)
  })
})

describe.concurrent('while Postgres is down', () => {
  it.each(kinds)('(%s) every route returns 503, and recovers automatically', async (kind) => {
    const { hostname, port } = new URL(provided('postgres').adminUrl)
    await using proxy = await startChaosProxy({ host: hostname, port: Number(port) })
    await using t = await setup({ viaPort: proxy.port, postgresWaitMs })
    const client = clientOf(t)
    const visit = visitorOf(t)
    // A busy machine may take longer than the limit of this process.
    const file = await waitFor(() => client.hotFile('hello'))
    const vaultId = await client.defaultVault()
    const create = () =>
      client.call('POST', '/api/vaults', {
        json: { name: 'Once', visibility: 'public' },
        headers: { 'idempotency-key': 'once' },
      })

    proxy.setWeather({ kind })
    if (kind === 'reset') proxy.cut()
    const ask = () => [
      client.call('GET', '/api/files'),
      client.call('GET', `/api/files/${file.id}/download`),
      client.call('POST', `/api/files/${file.id}/confirm`),
      client.requestUpload({ vaultId, sizeBytes: 5 }),
      client.call('PATCH', `/api/files/${file.id}`, { json: { name: 'b.png' } }),
      client.call('DELETE', `/api/vaults/${vaultId}?force=true`),
      client.call('DELETE', '/api/trash'),
      create(),
      clientOf(t).call('GET', '/api/vaults'),
      visit(`/api/public/files/${file.id}`),
    ]
    // More concurrent requests than the pool has connections, and then again.
    for (const answer of await Promise.all([...ask(), ...ask()])) expectUnavailable(answer)
    for (const answer of await Promise.all(ask())) expectUnavailable(answer)

    proxy.setWeather({ kind: 'pass' })
    await waitFor(async () => (await visit(`/api/public/files/${file.id}`)).bytes.toString() === 'hello')
    expect((await create()).body.id).toBe((await create()).body.id)
    const perProcess = t.config.databasePoolSize
    await waitFor(() => proxy.connections() <= perProcess, { what: 'the connections that hung to be closed' })
  })
})

it.concurrent('no request waits for an unresponsive broker', async () => {
  await using t = await setup()
  const asked: string[] = []
  t.jobs.enqueue = ({ step }, fileId) => {
    asked.push(`${step} ${fileId}`)
    return new Promise(() => {})
  }
  const client = clientOf(t)
  const file = await client.hotFile('confirmed')
  const { body } = await client.call('PUT', `/api/vaults/${file.vaultId}/content/a.txt`, { json: 'sent at once' })
  await giveUpStoring(t, file.id)
  expect((await client.call('POST', `/api/files/${file.id}/retry`)).status).toBe(200)
  await makeCold(t, body.id)
  expect((await client.call('POST', `/api/files/${body.id}/rehydrate`)).status).toBe(200)
  const jobs = [`store ${file.id}`, `store ${body.id}`, `store ${file.id}`, `rehydrate ${body.id}`]
  await waitFor(() => jobs.length === asked.length)
  expect(asked).toEqual(jobs)
})

it.concurrent('a write can be repeated after any lost Postgres response and takes effect once', async () => {
  const { hostname, port } = new URL(provided('postgres').adminUrl)
  await using proxy = await startChaosProxy({ host: hostname, port: Number(port) })
  await using t = await setup({ viaPort: proxy.port, postgresWaitMs: 1_500 })
  const client = clientOf(t)
  // A busy machine may take longer than this test allows.
  const vaultId = await waitFor(() => client.defaultVault())
  const { body: open } = await waitFor(async () => {
    const answer = await client.requestUpload({ vaultId, sizeBytes: 5 })
    return answer.status === 201 && answer
  })
  await put(open, 'hello')
  let afterChunks = 0
  // The limit grows each time, so that a write eventually succeeds on a slow machine too.
  const call: typeof client.call = (method, path, { json, headers } = {}) =>
    client.call(method, path, { json, headers: { ...headers, [postgresWaitHeader]: `${150 + 50 * afterChunks}` } })
  const create = (path: string, json: object) => call('POST', path, { json, headers: { 'idempotency-key': path } })
  const writes = {
    createVault: () => create('/api/vaults', { name: 'Once', visibility: 'public' }),
    requestUpload: () => create('/api/files/upload', { vaultId, name: 'a', mimeType: 'text/plain', sizeBytes: 5 }),
    confirm: () => call('POST', `/api/files/${open.fileId}/confirm`),
    rename: () => call('PATCH', `/api/files/${open.fileId}`, { json: { name: 'b' } }),
    delete: () => call('DELETE', `/api/files/${open.fileId}`),
    restore: () => call('POST', `/api/files/${open.fileId}/restore`),
  }
  for (const [name, write] of Object.entries(writes)) {
    let answer: Answer | undefined
    for (afterChunks = 0; answer === undefined || answer.status === 503; afterChunks++) {
      proxy.setWeather({ kind: 'mute', afterChunks })
      answer = await write()
      proxy.setWeather({ kind: 'pass' })
    }
    expect([name, answer.status]).toEqual([name, name === 'createVault' || name === 'requestUpload' ? 201 : 200])
  }
  const [seen] = await t.database.sql(`
    select (select count(*)::int from vault where name = 'Once') as vaults,
      (select count(*)::int from file where name = 'a') as uploads,
      (select array_agg(type order by at, id) from event where subject_kind = 'file') as events,
      (select file_count::int from account) - (select count(*) from file)::int as miscounted`)
  expect(seen).toEqual({
    vaults: 1,
    uploads: 1,
    events: ['file.hot', 'file.changed', 'file.deleted', 'file.restored'],
    miscounted: 0,
  })
})

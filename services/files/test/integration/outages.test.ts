import { startChaosProxy } from '@tideport/testing/chaos-proxy'
import { provided } from '@tideport/testing/provided'
import { startS3 } from '@tideport/testing/s3'
import { describe, expect, it } from 'vitest'
import { setup } from '../bundle.ts'
import { type Answer, clientOf, put, visitorOf } from '../client.ts'
import { makeCold, makeSynced } from '../later-states.ts'

function expectUnavailable({ status, body, headers }: Answer) {
  expect([status, body.code]).toEqual([503, 'unavailable'])
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
}

describe('while the object storage is down', () => {
  it('uploads answer 503 and can be repeated, and what the network holds is still read', async () => {
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
})

describe('while Postgres is down', () => {
  it('every route answers 503, and works again by itself', async () => {
    const { hostname, port } = new URL(provided('postgres').adminUrl)
    await using proxy = await startChaosProxy({ host: hostname, port: Number(port) })
    await using t = await setup({ viaPort: proxy.port })
    const client = clientOf(t)
    const visit = visitorOf(t)
    const file = await client.hotFile('hello')
    proxy.setWeather({ kind: 'reset' })
    proxy.cut()
    expectUnavailable(await client.call('GET', '/api/files'))
    expectUnavailable(await client.call('GET', `/api/files/${file.id}/download`))
    expectUnavailable(await client.call('POST', `/api/files/${file.id}/confirm`))
    expectUnavailable(await clientOf(t).call('GET', '/api/vaults'))
    expectUnavailable(await visit(`/api/public/files/${file.id}`))
    proxy.setWeather({ kind: 'pass' })
    expect((await visit(`/api/public/files/${file.id}`)).bytes.toString()).toBe('hello')
  })
})

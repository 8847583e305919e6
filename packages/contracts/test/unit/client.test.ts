import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/client/api-error.ts'
import { createClient } from '../../src/client/create-client.ts'
import type { Credentials } from '../../src/client/credentials.ts'
import { type Api, failureOf, json, startApi } from '../start-api.ts'

const ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const AT = '2026-01-02T03:04:05.678Z'
const vault = {
  id: ID,
  name: 'Pictures',
  description: '',
  visibility: 'private',
  slug: 'pictures',
  isDefault: false,
  isExport: false,
  keyId: null,
  filesExpireAfterSeconds: null,
  fileCount: 0,
  storageBytes: 0,
  createdAt: AT,
  updatedAt: AT,
  deletedAt: null,
}
const page = { files: [], nextCursor: null }
const clientOf = ({ baseUrl }: Api, credentials: Credentials = null) => createClient({ baseUrl, credentials })

describe('a request', () => {
  it('has the method, path and JSON body of its endpoint', async () => {
    await using server = await startApi(json(201, vault))
    const answer = await clientOf(server).createVault({
      body: { name: 'Pictures', visibility: 'private' },
      headers: { 'idempotency-key': 'once' },
    })
    expect(answer).toEqual(vault)
    expect(server.seen).toMatchObject([{ method: 'POST', url: '/api/vaults' }])
    expect(server.seen[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'idempotency-key': 'once' })
    expect(JSON.parse(server.seen[0]?.body ?? '')).toEqual({ name: 'Pictures', visibility: 'private' })
  })

  it('without a body announces none', async () => {
    await using server = await startApi(json(200, vault))
    await clientOf(server).restoreVault({ params: { vaultId: ID } })
    expect(server.seen).toMatchObject([{ method: 'POST', url: `/api/vaults/${ID}/restore`, body: '' }])
    expect(server.seen[0]?.headers).not.toHaveProperty('content-type')
  })

  it('goes below the path of the base URL', async () => {
    await using server = await startApi(json(200, page))
    await createClient({ baseUrl: `${server.baseUrl}/storage/`, credentials: null }).listFiles()
    expect(server.seen[0]?.url).toBe('/storage/api/files')
  })

  it('keeps what is in a path parameter inside of it', async () => {
    await using server = await startApi(json(200, vault))
    await clientOf(server).readVault({ params: { vaultId: '../a/b?c#d é%2f' } })
    expect(server.seen[0]?.url).toBe('/api/vaults/..%2Fa%2Fb%3Fc%23d%20%C3%A9%252f')
  })

  it.each(['', '.', '..'])('is not sent with the path parameter %j, which would lead elsewhere', async (vaultId) => {
    await using server = await startApi(json(200, vault))
    await expect(clientOf(server).deleteVault({ params: { vaultId } })).rejects.toThrow(TypeError)
    expect(server.seen).toEqual([])
  })

  it('says a list in the query once an item, a flag by its name, and nothing that was left out', async () => {
    await using server = await startApi(json(200, page))
    await clientOf(server).listFiles({
      query: { status: ['hot', 'cold'], trashed: true, limit: 7, q: 'a+b & c=ü', cursor: undefined },
    })
    const { searchParams } = new URL(server.seen[0]?.url ?? '', server.baseUrl)
    expect([...searchParams]).toEqual([
      ['status', 'hot'],
      ['status', 'cold'],
      ['trashed', 'true'],
      ['limit', '7'],
      ['q', 'a+b & c=ü'],
    ])
  })

  it('is sent once, whatever comes of it', async () => {
    await using server = await startApi(json(503, { error: 'Later', code: 'unavailable' }, { 'retry-after': '1' }))
    await failureOf(clientOf(server).listFiles())
    expect(server.seen).toHaveLength(1)
  })
})

describe('credentials', () => {
  it.each<[string, Credentials, Record<string, string>]>([
    ['an API key', { apiKey: 'tdp_1' }, { authorization: 'Bearer tdp_1' }],
    ['a token', { bearerToken: 'a.b.c' }, { authorization: 'Bearer a.b.c' }],
    ['a token asked for', { bearerToken: async () => 'a.b.c' }, { authorization: 'Bearer a.b.c' }],
    ['a development account', { development: { userId: ID } }, { 'x-dev-user-id': ID }],
    ['a development subject', { development: { providerId: 'me' } }, { 'x-dev-provider-id': 'me' }],
    ['nothing', null, {}],
  ])('are sent as %s', async (_, credentials, headers) => {
    await using server = await startApi(json(200, page))
    await clientOf(server, credentials).listFiles()
    const sent = Object.entries(server.seen[0]?.headers ?? {}).filter(([name]) => /^authorization|^x-dev/.test(name))
    expect(Object.fromEntries(sent)).toEqual(headers)
  })

  it('are asked for anew at each call', async () => {
    await using server = await startApi(json(200, page))
    let asked = 0
    const client = clientOf(server, { bearerToken: () => `token${++asked}` })
    await client.listFiles()
    await client.listFiles()
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer token1', 'Bearer token2'])
  })

  it('are not shown to public endpoints', async () => {
    await using server = await startApi((_, response) => response.end('bytes'))
    await clientOf(server, { apiKey: 'tdp_1' }).publicFileBytes({ params: { fileId: ID } })
    expect(server.seen[0]?.headers).not.toHaveProperty('authorization')
  })

  it('that no header can carry are not in the error', async () => {
    await using server = await startApi(json(200, page))
    const error = await failureOf(clientOf(server, { apiKey: 'tdp_se\ncret' }).listFiles())
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).not.toContain('cret')
  })
})

describe('an answer', () => {
  it('keeps fields and words that this version does not know', async () => {
    const newer = { ...vault, visibility: 'shared', colour: { name: 'blue' } }
    await using server = await startApi(json(200, newer))
    expect(await clientOf(server).readVault({ params: { vaultId: ID } })).toEqual(newer)
  })

  it.each([
    ['a field is missing', JSON.stringify({ ...vault, slug: undefined })],
    ['a field is of another kind', JSON.stringify({ ...vault, fileCount: '1' })],
    ['it is not JSON', '<html>'],
  ])('is an error where %s', async (_, body) => {
    await using server = await startApi((_, response) => response.writeHead(200, { 'x-request-id': 'r' }).end(body))
    const error = await failureOf(clientOf(server).readVault({ params: { vaultId: ID } }))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 200, code: null, requestId: 'r' })
  })

  it('of bytes is the Response, with what ranges and ETags need', async () => {
    await using server = await startApi((request, response) =>
      request.headers['if-none-match']
        ? response.writeHead(304, { etag: '"a"' }).end()
        : response.writeHead(206, { 'content-range': 'bytes 0-3/9' }).end('byte'),
    )
    const client = clientOf(server)
    const part = await client.publicFileBytes({ params: { fileId: ID }, headers: { range: 'bytes=0-3' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 0-3/9', 'byte'])
    const known = await client.publicFileBytes({ params: { fileId: ID }, headers: { 'if-none-match': '"a"' } })
    expect(known.status).toBe(304)
    expect(server.seen[0]?.headers.range).toBe('bytes=0-3')
  })

  it('of bytes may be elsewhere, that of JSON may not', async () => {
    await using store = await startApi((_, response) => response.end('bytes'))
    await using server = await startApi((_, response) => response.writeHead(302, { location: store.baseUrl }).end())
    const client = clientOf(server, { apiKey: 'tdp_1' })
    expect(await (await client.publicFileBytes({ params: { fileId: ID } })).text()).toBe('bytes')
    expect(await failureOf(client.emptyTrash())).toMatchObject({ status: 302, code: null })
    expect(store.seen).toHaveLength(1)
  })
})

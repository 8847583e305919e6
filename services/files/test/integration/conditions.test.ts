import { describe, expect, it } from 'vitest'
import { sharedBundle } from '../bundle.ts'
import { clientOf, encryption, limitedKey, put } from '../client.ts'

const t = sharedBundle({ logLevel: 'error' })

async function owner() {
  const client = clientOf(t)
  const { id: vaultId } = await client.createVault('Conditions', 'public')
  const url = (path: string) => `/api/vaults/${vaultId}/content/${path}`
  const send = (path: string, headers: Record<string, string> = {}, body = 'a', query = '') =>
    client.call('PUT', url(path) + query, { body, headers })
  const read = (path: string, headers: Record<string, string> = {}) => client.call('GET', url(path), { headers })
  const record = async (id: string) => (await client.call('GET', `/api/files/${id}`)).headers.get('etag') ?? ''
  return { ...client, vaultId, url, send, read, record }
}

const failed = (etag: string | null) => ({ status: 412, body: { code: 'precondition_failed', details: { etag } } })

const WRITERS = 10
const UPDATES = 5

/** Several writers that each make several updates. */
const all = (update: () => Promise<void>) =>
  Promise.all(
    Array.from({ length: WRITERS }, async () => {
      for (let left = UPDATES; left > 0; left -= 1) await update()
    }),
  )

describe('concurrent writers', () => {
  it('never lose an update of a file', async () => {
    const { send, read } = await owner()
    await send('counter', {}, '0')
    let attempts = 0
    const increment = async () => {
      for (;;) {
        attempts += 1
        const { bytes, headers } = await read('counter')
        const next = String(Number(bytes.toString()) + 1)
        const answer = await send('counter', { 'if-match': headers.get('etag') ?? '' }, next)
        if (answer.status === 201) return
        expect(answer).toMatchObject({ status: 412 })
      }
    }
    await all(increment)
    expect((await read('counter')).bytes.toString()).toBe('50')
    expect(attempts).toBeGreaterThan(50)
  })

  it('never lose an update of a record', async () => {
    const client = await owner()
    const { body } = await client.send('a')
    const file = `/api/files/${body.id}`
    const increment = async () => {
      for (;;) {
        const { headers, body: current } = await client.call('GET', file)
        const tags = [String(Number(current.tags[0] ?? 0) + 1)]
        const answer = await client.call('PATCH', file, {
          json: { tags },
          headers: { 'if-match': headers.get('etag') ?? '' },
        })
        if (answer.status === 200) return
        expect(answer).toMatchObject({ status: 412 })
      }
    }
    await all(increment)
    expect((await client.call('GET', file)).body.tags).toEqual(['50'])
  })
})

describe('uploads with conditions', () => {
  it('replace only the named file, in one call and in three steps', async () => {
    const client = await owner()
    const first = await client.send('a/b')
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toBe(`"${first.body.id}"`)
    expect((await client.read('a/b')).headers.get('etag')).toBe(etag)
    expect(await client.send('a/b', { 'if-match': '"other"' })).toMatchObject(failed(etag))
    expect(await client.send('a/b', { 'if-match': `W/${etag}` })).toMatchObject(failed(etag))
    expect(await client.send('a/b', { 'if-none-match': '*' })).toMatchObject(failed(etag))
    expect(await client.send('a/c', { 'if-match': '*' })).toMatchObject(failed(null))
    const fields = { mimeType: 'text/plain', sizeBytes: 5, vaultId: client.vaultId, path: 'a/b' }
    const request = (headers: Record<string, string>) =>
      client.call('POST', '/api/files/upload', { json: fields, headers })
    expect(await request({ 'if-none-match': '*' })).toMatchObject(failed(etag))
    const [early, late] = [await request({ 'if-match': etag }), await request({ 'if-match': '*' })]
    for (const { body } of [early, late]) await put(body, 'hello')
    const confirm = (id: string) => client.call('POST', `/api/files/${id}/confirm`)
    expect((await confirm(early.body.fileId)).body).toMatchObject({ status: 'hot', replaces: first.body.id })
    expect(await confirm(late.body.fileId)).toMatchObject(failed(`"${early.body.fileId}"`))
    expect((await client.send('a/c', { 'if-none-match': '*' })).status).toBe(201)
  })

  it('return the file of an equal earlier request, whatever has happened since', async () => {
    const client = await owner()
    const headers = { 'idempotency-key': 'k1', 'if-none-match': '*' }
    const first = await client.send('a', headers)
    expect(await client.send('a', headers)).toMatchObject({ status: 201, body: { id: first.body.id } })
    const other = await client.send('a', { ...headers, 'if-none-match': '"x"' })
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
  })

  it('need the right to replace a file, and tell nothing to a caller without the right to read', async () => {
    const client = await owner()
    const { body } = await client.send('a')
    const key = limitedKey(t, client, { verbs: ['upload'] })
    const by = (headers: Record<string, string>) => key.call('PUT', client.url('a'), { body: 'b', headers })
    expect(await by({ 'if-match': `"${body.id}"` })).toMatchObject({ status: 403 })
    const refused = await by({ 'if-none-match': '*' })
    expect(refused).toMatchObject({ status: 412, body: { code: 'precondition_failed' } })
    expect(JSON.stringify(refused.body)).not.toContain(body.id)
  })

  it('are checked before the bytes of a large body are sent', async () => {
    const client = await owner()
    const { body } = await client.send('a')
    const path = client.url('a').replace('/api/', '/internal/')
    const check = (headers: Record<string, string>) => client.call('GET', path, { headers })
    expect(await check({ 'if-none-match': '*' })).toMatchObject(failed(`"${body.id}"`))
    expect((await check({ 'if-match': `"${body.id}"` })).status).toBe(200)
    expect(await client.send('a', { 'if-none-match': '*' }, 'x'.repeat(100_000))).toMatchObject(failed(`"${body.id}"`))
  })
})

describe('records', () => {
  it('have an ETag that changes with each change by a client, and is the condition of moves and deletions', async () => {
    const client = await owner()
    const { body: file } = await client.send('a')
    const one = `/api/files/${file.id}`
    const tag = await client.record(file.id)
    const moved = await client.call('PATCH', one, { json: { path: 'b/c' }, headers: { 'if-match': tag } })
    expect(moved).toMatchObject({ status: 200, body: { path: 'b/c' } })
    const current = moved.headers.get('etag')
    expect(current).toBe(await client.record(file.id))
    const { id: otherVault } = await client.createVault('Other', 'public')
    await client.send('taken')
    for (const json of [
      { name: 'd' },
      { vaultId: otherVault },
      { path: 'taken', onConflict: 'replace' },
      { tags: ['x'] },
    ])
      expect(await client.call('PATCH', one, { json, headers: { 'if-match': tag } })).toMatchObject(failed(current))
    for (const query of ['', '?permanent=true'])
      expect(await client.call('DELETE', one + query, { headers: { 'if-match': tag } })).toMatchObject(failed(current))
    const open = await client.requestUpload({ sizeBytes: 5, vaultId: client.vaultId })
    const upload = `/api/files/${open.body.fileId}`
    expect((await client.call('DELETE', upload, { headers: { 'if-match': '"x"' } })).status).toBe(412)
    const now = { headers: { 'if-match': current ?? '' } }
    const taken = await client.call('PATCH', one, { json: { path: 'taken', onConflict: 'replace' }, ...now })
    expect(taken).toMatchObject({ status: 200, body: { path: 'taken' } })
    const last = { headers: { 'if-match': `"x", ${taken.headers.get('etag')}` } }
    expect((await client.call('DELETE', one, last)).body.deletedAt).not.toBeNull()
    expect((await client.call('DELETE', one, last)).status).toBe(200)
    expect((await client.call('DELETE', `${one}?permanent=true`, { headers: { 'if-match': '*' } })).status).toBe(200)
  })

  it('let exactly one of several concurrent deletions and moves with one ETag through', async () => {
    const client = await owner()
    const vault = await client.createVault('Private', 'private')
    const { body: file } = await client.call(
      'PUT',
      `/api/vaults/${vault.id}/content/a?${new URLSearchParams({ ...encryption, plaintextSizeBytes: '3', expiresAt: new Date(Date.now() + 86_400_000).toISOString(), sealedMetadata: 'c2VhbGVk' })}`,
      { body: 'abc' },
    )
    const headers = { 'if-match': await client.record(file.id) }
    const changes = Array.from({ length: 10 }, (_, at) =>
      client.call('PATCH', `/api/files/${file.id}`, {
        json: { path: `b/${at}`, onConflict: at % 2 ? 'fail' : 'keep' },
        headers,
      }),
    )
    const statuses = (await Promise.all(changes)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(412)])
  })
})

it('reads with If-Match or If-Unmodified-Since return 412 for other bytes', async () => {
  const client = await owner()
  const { body } = await client.send('a')
  const etag = `"${body.id}"`
  expect((await client.read('a', { 'if-match': etag })).status).toBe(200)
  expect(await client.read('a', { 'if-match': '"x"', 'if-none-match': etag })).toMatchObject(failed(etag))
  expect(await client.read('a', { 'if-unmodified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' })).toMatchObject(failed(etag))
  expect((await client.call('HEAD', client.url('a'), { headers: { 'if-match': '"x"' } })).status).toBe(412)
})

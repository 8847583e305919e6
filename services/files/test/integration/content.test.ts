import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { createBucket } from '@tideport/testing/s3'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { type Bundle, setup, sharedBundle } from '../bundle.ts'
import { clientOf, encryption, visitorOf } from '../client.ts'
import { sendHead } from '../send-head.ts'

const MIB = 1024 ** 2

const t = sharedBundle({ env: { DIRECT_UPLOAD_MAX_BYTES: `${2 * MIB}`, DIRECT_UPLOAD_MEMORY_BYTES: `${8 * MIB}` } })

const sha256 = (bytes: string | Buffer, encoding: 'hex' | 'base64' = 'hex') =>
  createHash('sha256').update(bytes).digest(encoding)

async function owner(bundle: Bundle = t) {
  const client = clientOf(bundle)
  const vaultId = await client.defaultVault()
  const headers = await bundle.principalHeaders(client.accountId)
  const upload = (
    body: RequestInit['body'],
    more: Record<string, string> = {},
    { name = 'a.txt', query = '', vault = vaultId } = {},
  ) => client.call('PUT', `/api/vaults/${vault}/content/${name}${query}`, { body, headers: more })
  const files = async () =>
    (await bundle.database.sql('select status, name from file where account_id = $1', [client.accountId])) as object[]
  const usage = async () => (await client.call('GET', '/api/account')).body.usage
  return { ...client, vaultId, upload, files, usage, authHeaders: headers }
}

const stored = async (client: Awaited<ReturnType<typeof owner>>, id: string) => {
  const { downloadUrl } = (await client.call('GET', `/api/files/${id}/download`)).body
  const { host, pathname, search } = new URL(downloadUrl)
  // An empty file has a service URL.
  if (host === 'files.example') return (await visitorOf(t)(pathname + search)).bytes
  return Buffer.from(await (await fetch(downloadUrl)).arrayBuffer())
}

/** An upload that stops after its first byte and keeps 2 MiB of memory. */
async function hold({ vaultId, authHeaders }: Awaited<ReturnType<typeof owner>>) {
  const url = new URL(`/api/vaults/${vaultId}/content/held`, t.address)
  const put = request(url, { method: 'PUT', headers: { ...authHeaders, 'content-length': 2 * MIB } })
  put.on('error', () => {})
  await new Promise((resolve) => put.write('x', resolve))
  return put
}

describe('a one-request upload', () => {
  it.each([0, 1, 300_000, 2 * MIB])('of %i bytes creates a hot file with its SHA-256', async (size) => {
    const client = await owner()
    const bytes = Buffer.alloc(size, 'tideport')
    const { status, body } = await client.upload(
      bytes,
      { 'content-type': 'image/png' },
      { name: 'caf%C3%A9%20%F0%9F%90%88.png' },
    )
    expect([status, body]).toMatchObject([
      201,
      { status: 'hot', name: 'café 🐈.png', mimeType: 'image/png', sizeBytes: size },
    ])
    expect(body).toMatchObject({ checksumSha256: sha256(bytes), storageNetworkBlobId: null, inHotCache: true })
    expect(body.expectedBlobId === null).toBe(size > MIB)
    expect((await stored(client, body.id)).equals(bytes)).toBe(true)
    const events = await t.database.sql('select type from event where subject_id = $1', [body.id])
    expect(events).toEqual([{ type: 'file.hot' }])
    expect(await client.usage()).toMatchObject({ storageBytes: size, hotBytes: size, fileCount: 1 })
  })

  it('accepts chunked bodies up to the limit, and stores nothing of longer bodies', async () => {
    const client = await owner()
    const chunks = (count: number) => new ReadableStream({ start(c) { for (let i = 0; i < count; i += 1) c.enqueue(Buffer.alloc(MIB / 4, i)); c.close() } }) // biome-ignore format: one stream
    expect(await client.upload(chunks(8))).toMatchObject({
      status: 201,
      body: { sizeBytes: 2 * MIB, mimeType: 'application/octet-stream' },
    })
    const refused = await client.upload(chunks(9)).catch(() => null)
    if (refused) expect(refused).toMatchObject({ status: 413, body: { code: 'too_large' } })
    const long = await client.upload(Buffer.alloc(2 * MIB + 1)).catch(() => null)
    if (long) expect(long.body.error).toMatch(/uploadUrl, then confirm/)
    expect(await client.files()).toHaveLength(1)
    await waitFor(async () =>
      (await t.metrics.render()).text.includes('tideport_direct_upload_bytes{service="files"} 0'),
    )
  })

  it('compares every digest with the bytes, and writes nothing when one differs', async () => {
    const client = await owner()
    const right = { 'content-digest': `sha-512=:AAAA:, sha-256=:${sha256('hello', 'base64')}:` }
    expect(
      (await client.upload('hello', right, { query: `?checksumSha256=${sha256('hello').toUpperCase()}` })).status,
    ).toBe(201)
    for (const headers of [{ 'content-digest': `sha-256=:${sha256('HELLO', 'base64')}:` }, { 'repr-digest': `sha-256=:${sha256('', 'base64')}:` }]) // biome-ignore format: a list
      expect(await client.upload('hello', headers)).toMatchObject({ status: 400, body: { code: 'digest_mismatch' } })
    const query = `?checksumSha256=${sha256('HELLO')}`
    expect(await client.upload('hello', {}, { query })).toMatchObject({
      status: 400,
      body: { code: 'digest_mismatch' },
    })
    for (const wrong of ['sha-256=AAAA', 'sha-256=:AAAA:', ':', 'sha-256'])
      expect(await client.upload('hello', { 'content-digest': wrong })).toMatchObject({
        status: 400,
        body: { code: 'validation_failed' },
      })
    expect((await client.upload('hello', { 'content-digest': 'unixsum=:AAAA:' })).status).toBe(201)
    expect(await client.files()).toHaveLength(2)
  })

  it('keeps digests that the client sends or requests, and returns them with reads', async () => {
    const client = await owner()
    const md5 = 'XUFAKrxLKna5cZ2REBfFkg=='
    const sent = { 'content-md5': md5, 'repr-digest': 'crc32=:NhCmhg==:', 'want-repr-digest': 'crc64nvme=1, crc32c=1' }
    const { id } = (await client.upload('hello', sent)).body
    const rows = await t.database.sql('select digests from file where id = $1', [id])
    const kept = { md5, crc32: 'NhCmhg==', crc32c: 'mnG7TA==', crc64nvme: 'M3eFcAZSQlc=' }
    expect(rows).toEqual([{ digests: kept }])
    for (const wrong of [{ 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }, { 'content-digest': 'crc32c=:AAAAAA==:' }])
      expect(await client.upload('hello', wrong)).toMatchObject({ status: 400, body: { code: 'digest_mismatch' } })
    expect((await client.upload('hello', { 'content-md5': 'AAAA' })).body.code).toBe('validation_failed')
    const read = async (headers: Record<string, string>) => {
      const url = new URL(`/api/vaults/${client.vaultId}/content/a.txt`, t.address)
      return (await fetch(url, { headers: { ...client.authHeaders, ...headers } })).headers.get('repr-digest')
    }
    expect(await read({ 'want-repr-digest': 'crc32c=9, md5=2', range: 'bytes=1-2' })).toBe('crc32c=:mnG7TA==:')
    expect(await read({})).toBe(`sha-256=:${sha256('hello', 'base64')}:`)
  })

  it('rejects invalid names, types, encodings, and vaults', async () => {
    const client = await owner()
    expect((await client.upload('x', {}, { name: 'a%5Cb' })).status).toBe(400)
    expect((await client.upload('x', { 'content-type': 'image/*' })).status).toBe(400)
    expect((await client.upload('x', { 'content-encoding': 'gzip' })).status).toBe(415)
    // Uploads support neither parts of a file nor conditions.
    for (const header of [{ 'content-range': 'bytes 1-1/9' }, { 'if-unmodified-since': 'x' }])
      expect((await client.upload('x', header)).status).toBe(400)
    for (const vault of ['nonsense', '01890a5d-ac96-774b-bcce-b302099a8057', await clientOf(t).defaultVault()])
      expect((await client.upload('x', {}, { vault })).status).toBe(404)
    expect((await client.upload('x', {}, { query: '?wrappedKey=a' })).status).toBe(400)
    const { id: secret } = await client.createVault('Secrets', 'private')
    expect((await client.upload('x', {}, { vault: secret })).status).toBe(400)
    for (const wrong of ['wrappedKey=a', 'expiresAt=2020-01-01T00:00:00Z', 'sealedMetadata=x']) {
      const { body } = await client.upload('x', {}, { query: `?${wrong}` })
      expect([wrong, body.error]).toEqual([wrong, 'The request query is not valid'])
      expect(body.details.issues).toMatchObject([{ path: wrong.split('=')[0] }])
    }
    const query = `?${new URLSearchParams({ ...encryption, plaintextSizeBytes: '3' })}`
    expect(await client.upload('enc', {}, { vault: secret, query })).toMatchObject({ status: 201, body: encryption })
    expect(await client.files()).toHaveLength(1)
  })

  it('is rejected before its body arrives, unless the body is short', async () => {
    const [{ authHeaders: principal, vaultId }, other] = [await owner(), await owner()]
    const tooLong = { 'content-length': `${2 * MIB + 1}` }
    for (const [vault, headers, status, code] of [
      [randomUUID(), { 'content-length': `${MIB}` }, 404, 'not_found'],
      [other.vaultId, { 'transfer-encoding': 'chunked' }, 404, 'not_found'],
      [vaultId, tooLong, 413, 'too_large'],
    ] as const) {
      const path = `/api/vaults/${vault}/content/a.bin`
      for (const sent of [headers, { ...headers, expect: '100-continue' }]) {
        expect(await sendHead(t, path, { principal, headers: sent })).toEqual([status, code])
      }
    }
  })

  it('creates one file for repeated requests with one key, and returns 422 for other bytes', async () => {
    const client = await owner()
    const key = { 'idempotency-key': 'k' }
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.upload('hello', key)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect((await client.upload('hello', key)).body).toMatchObject({ id: answers[0]?.body.id, status: 'hot' })
    expect((await client.upload('HELLO', key)).status).toBe(422)
    expect((await client.upload('hello', key, { name: 'b.txt' })).status).toBe(422)
    expect(await client.files()).toHaveLength(1)
  })

  it.each(['reset', 'end'] as const)('stores nothing after a connection %s', async (how) => {
    const client = await owner()
    for (const sent of [0, 1, 1000, 99_999]) {
      const socket = connect(Number(new URL(t.address).port), '127.0.0.1')
      const lines = Object.entries({ host: 'x', ...client.authHeaders, 'content-length': '100000' })
      socket.write(
        `PUT /api/vaults/${client.vaultId}/content/a HTTP/1.1\r\n${lines.map(([n, v]) => `${n}: ${v}\r\n`).join('')}\r\n`,
      )
      await new Promise((resolve) => socket.write('x'.repeat(sent), resolve))
      socket.on('error', () => {})
      if (how === 'reset') socket.resetAndDestroy()
      else socket.end()
      await once(socket.resume(), 'close')
    }
    expect((await client.upload('whole')).status).toBe(201)
    expect(await client.files()).toEqual([{ status: 'hot', name: 'a.txt' }])
    await waitFor(async () =>
      (await t.metrics.render()).text.includes('tideport_direct_upload_bytes{service="files"} 0'),
    )
  })

  it('uses at most half of the memory for one account, returns 503 beyond that, and serves other accounts', async () => {
    const [client, other] = [await owner(), await owner()]
    const held = await Promise.all([hold(client), hold(client)])
    await waitFor(async () =>
      (await t.metrics.render()).text.includes(`tideport_direct_upload_bytes{service="files"} ${4 * MIB}`),
    )
    const refused = await client.upload('hello')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
    expect((await other.upload('hello')).status).toBe(201)
    for (const put of held) put.destroy()
    await waitFor(async () => (await client.upload('hello')).status === 201)
  })

  it('reuses the memory of stalled uploads, which get 503', async () => {
    const [one, two, other] = [await owner(), await owner(), await owner()]
    const held = await Promise.all([one, one, two, two].map(hold))
    const first = Promise.race(held.map((put) => once(put, 'response')))
    await waitFor(async () =>
      (await t.metrics.render()).text.includes(`tideport_direct_upload_bytes{service="files"} ${8 * MIB}`),
    )
    await waitFor(async () => (await other.upload(Buffer.alloc(MIB))).status === 201)
    const [answer] = await first
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2'])
    for (const put of held) put.destroy()
  })
})

describe('when the store fails', () => {
  it('removes the file and its counts immediately; the same request with a key continues', async () => {
    const bucket = await createBucket()
    await using front = await startFrontOfStore(bucket.settings)
    await using bundle = await setup({ s3: front.settings })
    const client = await owner(bundle)
    front.answerBy(({ method, url }, response) => {
      const fails = method === 'PUT' && url?.includes('/hot/') === true
      if (fails) response.writeHead(503).end()
      return fails
    })
    expect(await client.upload('hello')).toMatchObject({ status: 503, body: { code: 'unavailable' } })
    expect(await client.usage()).toMatchObject({ storageBytes: 0, fileCount: 0 })
    const key = { 'idempotency-key': 'again' }
    expect((await client.upload('hello', key)).status).toBe(503)
    front.pass()
    expect(await client.upload('hello', key)).toMatchObject({ status: 201, body: { status: 'hot' } })
    expect(await client.usage()).toMatchObject({ storageBytes: 5, hotBytes: 5, fileCount: 1 })
    bucket.dispose()
  })
})

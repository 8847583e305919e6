import { once } from 'node:events'
import { request as sendRequest } from 'node:http'
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { startS3 } from '@tideport/testing/s3'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settings } from '../../src/config.ts'
import { startGateway } from '../bundle.ts'

const stack = new AsyncDisposableStack()
const bytes = Buffer.alloc(300_000, 'tideport')
let s3: Awaited<ReturnType<typeof startS3>>
let gateway: Awaited<ReturnType<typeof startGateway>>
/** Signs for the gateway's address. */
let client: S3Client

beforeAll(async () => {
  s3 = stack.use(await startS3())
  const env = { FORWARDED_BUCKET_URL: `${s3.settings.endpoint}/${s3.bucket}`, STREAM_STALL_SECONDS: '1' }
  gateway = stack.use(await startGateway({ ...env, RATE_LIMIT_ANONYMOUS_PER_SECOND: '20' }))
  const { region, accessKeyId, secretAccessKey } = s3.settings
  const credentials = { accessKeyId, secretAccessKey }
  client = new S3Client({ endpoint: gateway.url, region, credentials, forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' }) // biome-ignore format: one line
})
afterAll(() => stack.disposeAsync())

const put = (Key: string, ContentLength = bytes.length) =>
  getSignedUrl(client, new PutObjectCommand({ Bucket: s3.bucket, Key, ContentLength, IfNoneMatch: '*' }), {
    signableHeaders: new Set(['host', 'content-length', 'if-none-match']),
    unhoistableHeaders: new Set(['if-none-match']),
  })
const get = (Key: string) => getSignedUrl(client, new GetObjectCommand({ Bucket: s3.bucket, Key }))
const send = (url: string, body: Buffer = bytes) =>
  fetch(url, { method: 'PUT', body, headers: { 'if-none-match': '*' } })
const exists = (Key: string) =>
  s3.client.send(new HeadObjectCommand({ Bucket: s3.bucket, Key })).then(
    () => true,
    () => false,
  )
const openStreams = async () => {
  const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
  return Number(
    /^tideport_open_streams\{[^}]*\} (\d+)$/m.exec(text)?.[1] ?? /^tideport_open_streams (\d+)$/m.exec(text)?.[1],
  )
}

describe('the forwarded bucket', () => {
  it('takes and returns bytes by presigned URLs, unlimited by address, and never as a page of its origin', async () => {
    expect((await send(await put('a/first'))).status).toBe(200)
    const again = await put('a/first')
    // The store refuses before it reads the body. If its response is lost with the connection, clients retry the 503.
    await waitFor(async () => (await send(again)).status === 412, { what: 'the refusal of a second object' })
    const url = await get('a/first')
    const each = await Promise.all(Array.from({ length: 60 }, () => fetch(url)))
    expect(new Set(each.map(({ status }) => status))).toEqual(new Set([200]))
    expect(Buffer.from(await (each[0] as Response).arrayBuffer()).equals(bytes)).toBe(true)
    expect(each[0]?.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect(each[0]?.headers.get('x-content-type-options')).toBe('nosniff')
    const part = await fetch(url, { headers: { range: 'bytes=1-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'ide'])
    const asProgram = await fetch(url, { headers: { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'script' } })
    expect(asProgram.status).toBe(404)
  })

  it('forwards only signed requests to single objects', async () => {
    await send(await put('only'))
    const url = await get('only')
    const list = await getSignedUrl(client, new ListObjectsV2Command({ Bucket: s3.bucket }))
    const [path = '', query = ''] = url.split('?')
    const refused = [
      path,
      list,
      `${gateway.url}/${s3.bucket}/?${query}`,
      `${gateway.url}/${s3.bucket}/a%2f..%2f?${query}`,
    ]
    for (const one of refused) expect((await fetch(one)).status, one).toBe(404)
    expect((await fetch(url, { headers: { authorization: 'AWS4-HMAC-SHA256 x' } })).status).toBe(404)
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405)
    expect((await fetch(url.replace(/Signature=./, 'Signature=x'))).status).toBe(403)
    expect((await fetch(url.replace('/only', '/first'))).status).toBe(403)
  })

  it.each(['closes its connection', 'stalls'])('stores nothing of an upload if the client %s', async (how) => {
    const key = `cut-${how.slice(0, 6)}`
    const headers = { 'content-length': bytes.length, 'if-none-match': '*' }
    const outgoing = sendRequest(await put(key), { method: 'PUT', headers }).on('error', () => {})
    outgoing.write(bytes.subarray(0, 200_000))
    await waitFor(async () => (await openStreams()) === 1)
    if (how === 'stalls') {
      const [response] = await once(outgoing, 'response')
      expect(response.statusCode).toBe(408)
    }
    outgoing.destroy()
    await waitFor(async () => (await openStreams()) === 0)
    expect(await exists(key)).toBe(false)
    // The store accepts the complete object afterwards.
    expect((await send(await put(key))).status).toBe(200)
  })

  it('returns 503 while the store is down', async () => {
    const url = await put('later')
    await s3.stop()
    expect((await send(url)).status).toBe(503)
    await s3.start()
    await waitFor(async () => (await send(url)).status === 200)
  })
})

it.each(['http://s3:9000/api', 'http://s3:9000/console', 'http://s3:9000', 'http://s3:9000/a/bucket'])(
  'rejects %s as the URL of a bucket',
  (url) => {
    const result = settings.safeParse({ FORWARDED_BUCKET_URL: url })
    expect(result.error?.issues.map(({ path }) => path[0])).toContain('FORWARDED_BUCKET_URL')
  },
)

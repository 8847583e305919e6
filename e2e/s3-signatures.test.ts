import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { request as sendRequest } from 'node:http'
import { crc32 } from 'node:zlib'
import * as s3 from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { beforeAll, describe, expect, it } from 'vitest'
import { createKey } from './support/account.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

const Bucket = 'signed-work'
const region = 'us-east-1'
const endpoint = () => new URL(sharedStack().s3ApiUrls[0] as string)

let credentials: { accessKeyId: string; secretAccessKey: string }
let client: s3.S3Client
beforeAll(async () => {
  ;({ s3: credentials } = (await createKey(freshAccount(), { s3: true })) as unknown as { s3: typeof credentials })
  client = new s3.S3Client({ endpoint: endpoint().href, forcePathStyle: true, region, credentials })
  await client.send(new s3.CreateBucketCommand({ Bucket }))
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** A request whose headers are all signed, and the chain that signs its chunks. */
function sign(method: string, path: string, headers: Record<string, string>) {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${credentials.secretAccessKey}`)
  const all: Record<string, string> = { host: endpoint().host, 'x-amz-date': time, ...headers }
  const names = Object.keys(all).toSorted()
  const lines = names.map((name) => `${name}:${all[name]}\n`).join('')
  const canonical = `${method}\n${path}\n\n${lines}\n${names.join(';')}\n${all['x-amz-content-sha256']}`
  let signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  const link = (kind: string, ...ends: string[]) => {
    signature = hmac(key, [`AWS4-HMAC-SHA256-${kind}`, time, scope, signature, ...ends].join('\n')).toString('hex')
    return signature
  }
  return {
    headers: { ...all, authorization } as Record<string, string>,
    chunk: (bytes: string) => {
      const size = bytes.length.toString(16)
      return `${size};chunk-signature=${link('PAYLOAD', sha256(''), sha256(bytes))}\r\n${bytes}${bytes && '\r\n'}`
    },
    trailer: (line: string) => `${line}\r\nx-amz-trailer-signature:${link('TRAILER', sha256(`${line}\n`))}\r\n\r\n`,
  }
}

/** Sends exactly these bytes. Returns the status and the code of the error. */
async function send(method: string, path: string, headers: Record<string, string>, body = '') {
  const { hostname, port } = endpoint()
  const request = sendRequest({ hostname, port, method, path, headers, agent: false, setDefaultHeaders: false })
  request.end(body)
  const [response] = await once(request, 'response')
  let text = ''
  for await (const bytes of response) text += String(bytes)
  return { status: response.statusCode as number, code: /<Code>(\w+)</.exec(text)?.[1] }
}

const ONE = 'a'.repeat(10_000)
const TWO = 'b'.repeat(500)
const CRC = 'x-amz-checksum-crc32'

/** An upload in signed chunks, whose body `change` may spoil. */
async function upload(Key: string, change: (parts: string[]) => string[]) {
  const path = `/${Bucket}/${Key}`
  const signed = sign('PUT', path, {
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
    'x-amz-decoded-content-length': String(ONE.length + TWO.length),
    'x-amz-trailer': CRC,
  })
  const trailer = `${CRC}:${checksum(ONE + TWO)}`
  const parts = [signed.chunk(ONE), signed.chunk(TWO), signed.chunk(''), signed.trailer(trailer)]
  const body = change(parts).join('')
  return await send('PUT', path, { ...signed.headers, 'content-length': String(body.length) }, body)
}

function checksum(text: string): string {
  const value = Buffer.alloc(4)
  value.writeUInt32BE(crc32(text))
  return value.toString('base64')
}

const isStored = async (Key: string) =>
  (await client.send(new s3.ListObjectsV2Command({ Bucket, Prefix: Key }))).KeyCount === 1

describe('an upload in signed chunks', () => {
  it('is stored', async () => {
    expect(await upload('genuine', (parts) => parts)).toEqual({ status: 200, code: undefined })
    const { Body } = await client.send(new s3.GetObjectCommand({ Bucket, Key: 'genuine' }))
    expect(await Body?.transformToString()).toBe(ONE + TWO)
  })

  it.each<[string, (parts: string[]) => string[], string]>([
    [
      'a changed byte in its last chunk',
      ([a = '', b = '', ...c]) => [a, b.replace('bb', 'bc'), ...c],
      'SignatureDoesNotMatch',
    ],
    ['its chunks swapped', ([a = '', b = '', ...c]) => [b, a, ...c], 'SignatureDoesNotMatch'],
    ['a chunk missing', ([a = '', _, ...c]) => [a, ...c], 'IncompleteBody'],
    [
      'a changed trailer',
      ([...all]) => [...all.slice(0, 3), (all[3] ?? '').replace(/:..../, ':AAAA')],
      'SignatureDoesNotMatch',
    ],
    ['no trailer', (all) => [...all.slice(0, 3), '\r\n'], 'MalformedTrailerError'],
    ['no last chunk', (all) => all.slice(0, 2), 'IncompleteBody'],
    ['bytes after its end', (all) => [...all, 'GET / HTTP/1.1\r\n\r\n'], 'IncompleteBody'],
  ])('with %s is refused and not stored', async (name, change, code) => {
    const key = `spoiled-${sha256(name)}`
    expect(await upload(key, change)).toMatchObject({ code })
    expect(await isStored(key)).toBe(false)
  })
})

describe('a signed request', () => {
  it('is valid only for its method, key, bucket, host, and headers', async () => {
    await client.send(new s3.PutObjectCommand({ Bucket, Key: 'replayed', Body: 'bytes' }))
    const path = `/${Bucket}/replayed`
    const { headers } = sign('GET', path, { 'x-amz-content-sha256': sha256('') })
    expect(await send('GET', path, headers)).toEqual({ status: 200, code: undefined })
    const unsigned = { ...headers, 'x-amz-acl': 'public-read' }
    const replays: Parameters<typeof send>[] = [
      ['DELETE', path, headers],
      ['GET', `${path}?tagging`, headers],
      ['GET', `/${Bucket}/replayed/`, headers],
      ['GET', `/${Bucket}//replayed`, headers],
      ['GET', `/${Bucket}/x/../replayed`, headers],
      ['GET', `/${Bucket}%2Freplayed`, headers],
      ['GET', '/other/replayed', headers],
      ['GET', path, { ...headers, host: `other.${headers.host}` }],
      ['GET', path, unsigned],
    ]
    for (const [method, target, sent] of replays) {
      const { status, code } = await send(method, target, sent)
      expect([status, code], `${method} ${target}`).toEqual([
        403,
        sent === unsigned ? 'AccessDenied' : 'SignatureDoesNotMatch',
      ])
    }
    expect(await isStored('replayed')).toBe(true)
  })

  it('is refused if its target has no bucket or another authority', async () => {
    const { headers } = sign('GET', '//x', { 'x-amz-content-sha256': sha256('') })
    expect(await send('GET', '//x', headers)).toMatchObject({ code: 'InvalidBucketName' })
    expect(await send('GET', `http://${headers.host}/${Bucket}`, headers)).toMatchObject({ code: 'InvalidURI' })
  })

  it('may be a presigned copy, whose source is in the query', async () => {
    const copy = new s3.CopyObjectCommand({ Bucket, Key: 'copied', CopySource: `${Bucket}/genuine` })
    const url = await getSignedUrl(client, copy)
    expect(url.toLowerCase()).toContain('x-amz-copy-source=')
    expect((await fetch(url, { method: 'PUT' })).status).toBe(200)
    const { Body } = await client.send(new s3.GetObjectCommand({ Bucket, Key: 'copied' }))
    expect(await Body?.transformToString()).toBe(ONE + TWO)
    const other = url.replace(/genuine/i, 'replayed')
    expect((await fetch(other, { method: 'PUT' })).status).toBe(403)
  })
})

import { createHash, createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as sendRequest } from 'node:http'
import * as s3 from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { beforeAll, describe, expect, it } from 'vitest'
import { createKey } from './support/account.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

const endpoint = () => sharedStack().s3ApiUrls[0] as string
let client: s3.S3Client
beforeAll(async () => {
  client = await newClient()
  await client.send(new s3.CreateBucketCommand({ Bucket: 'desk' }))
})

async function newClient(): Promise<s3.S3Client> {
  const { s3: credentials } = (await createKey(freshAccount(), { s3: true })) as unknown as {
    s3: { accessKeyId: string; secretAccessKey: string }
  }
  return new s3.S3Client({ endpoint: endpoint(), forcePathStyle: true, region: 'us-east-1', credentials })
}

const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')
const put = (Key: string, Body: string | Buffer, more: object = {}) =>
  client.send(new s3.PutObjectCommand({ Bucket: 'desk', Key, Body, ...more }))
const get = (Key: string, more: object = {}) => client.send(new s3.GetObjectCommand({ Bucket: 'desk', Key, ...more }))
const textOf = async (read: ReturnType<typeof get>) => (await read).Body?.transformToString()

describe('buckets', () => {
  it('are created, found, listed, and deleted, and other accounts have none of them', async () => {
    const named = { Bucket: 'first-bucket' }
    await client.send(new s3.CreateBucketCommand(named))
    await client.send(new s3.HeadBucketCommand(named))
    const { Buckets } = await client.send(new s3.ListBucketsCommand({}))
    expect(Buckets).toContainEqual(expect.objectContaining({ Name: 'first-bucket' }))
    expect(await client.send(new s3.GetBucketLocationCommand(named))).not.toHaveProperty('LocationConstraint')
    const other = await newClient()
    await expect(other.send(new s3.ListObjectsV2Command(named))).rejects.toMatchObject({ name: 'NoSuchBucket' })
    await client.send(new s3.DeleteBucketCommand(named))
    await expect(client.send(new s3.HeadBucketCommand(named))).rejects.toMatchObject({ name: 'NotFound' })
  })

  it('have cross-origin rules, which preflights and responses follow', async () => {
    const rules = [{ AllowedMethods: ['GET'], AllowedOrigins: ['https://*.app.example'], ExposeHeaders: ['ETag'] }]
    const CORSConfiguration = { CORSRules: rules }
    await client.send(new s3.PutBucketCorsCommand({ Bucket: 'desk', CORSConfiguration }))
    const { CORSRules } = await client.send(new s3.GetBucketCorsCommand({ Bucket: 'desk' }))
    expect(CORSRules).toMatchObject(rules)
    const ask = (origin: string, method: string) =>
      fetch(`${endpoint()}/desk/a`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': method },
      })
    const allowed = await ask('https://a.app.example', 'GET')
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, 'https://a.app.example'])
    expect((await ask('https://a.app.example', 'PUT')).status).toBe(403)
    expect((await ask('https://evil.example', 'GET')).status).toBe(403)
    await put('cors', 'bytes')
    const url = await getSignedUrl(client, new s3.GetObjectCommand({ Bucket: 'desk', Key: 'cors' }))
    const read = await fetch(url, { headers: { origin: 'https://b.app.example' } })
    expect(read.headers.get('access-control-expose-headers')).toBe('ETag')
    await client.send(new s3.DeleteBucketCorsCommand({ Bucket: 'desk' }))
    expect((await ask('https://a.app.example', 'GET')).status).toBe(403)
  })
})

describe('objects', () => {
  it('are stored, read, and deleted with their labels, by keys of any characters', async () => {
    const bytes = randomBytes(100_000)
    for (const key of ['a', 'dir//../x', 'é 日本+%&<>"\'', '/leading', '\u0001', 'k'.repeat(1024)]) {
      const labels = { ContentType: 'text/plain', CacheControl: 'max-age=1', Metadata: { one: '1', mtime: '1.5' } }
      const { ETag } = await put(key, bytes, { ...labels, ContentLanguage: 'de', Tagging: 'a=b&c=%40%3D' })
      expect(ETag).toBe(`"${md5(bytes)}"`)
      const read = await get(key, { Range: 'bytes=10-19', ResponseContentDisposition: 'inline; 日本' })
      expect(Buffer.from(read.ContentDisposition ?? '', 'latin1').toString()).toBe('inline; 日本')
      expect(read).toMatchObject({ ...labels, ContentLanguage: 'de', ETag, TagCount: 2, ContentLength: 10 })
      expect(Buffer.from((await read.Body?.transformToByteArray()) ?? [])).toEqual(bytes.subarray(10, 20))
      const { TagSet } = await client.send(new s3.GetObjectTaggingCommand({ Bucket: 'desk', Key: key }))
      expect(TagSet).toEqual([
        { Key: 'a', Value: 'b' },
        { Key: 'c', Value: '@=' },
      ])
      const { Contents } = await client.send(new s3.ListObjectsV2Command({ Bucket: 'desk', Prefix: key }))
      expect(Contents?.map(({ Key, Size }) => [Key, Size])).toEqual([[key, bytes.length]])
      await client.send(new s3.DeleteObjectCommand({ Bucket: 'desk', Key: key }))
      await expect(get(key)).rejects.toMatchObject({ name: 'NoSuchKey' })
    }
  })

  it('of zero bytes and of folders are listed by delimiter, and deleted together', async () => {
    for (const key of ['list/a', 'list/b/1', 'list/b/2', 'list/c/', 'list/d']) await put(key, '')
    const page = await client.send(
      new s3.ListObjectsV2Command({ Bucket: 'desk', Prefix: 'list/', Delimiter: '/', MaxKeys: 2 }),
    )
    expect(page).toMatchObject({ KeyCount: 2, IsTruncated: true, CommonPrefixes: [{ Prefix: 'list/b/' }] })
    const rest = await client.send(
      new s3.ListObjectsV2Command({
        ...{ Bucket: 'desk', Prefix: 'list/', Delimiter: '/' },
        ContinuationToken: page.NextContinuationToken,
      }),
    )
    expect(rest).toMatchObject({ KeyCount: 2, CommonPrefixes: [{ Prefix: 'list/c/' }], Contents: [{ Key: 'list/d' }] })
    const { Contents = [] } = await client.send(new s3.ListObjectsCommand({ Bucket: 'desk', Prefix: 'list/' }))
    expect(Contents.map(({ Key }) => Key)).toEqual(['list/a', 'list/b/1', 'list/b/2', 'list/c/', 'list/d'])
    const Objects = Contents.map(({ Key }) => ({ Key: Key as string }))
    const { Deleted } = await client.send(new s3.DeleteObjectsCommand({ Bucket: 'desk', Delete: { Objects } }))
    expect(Deleted).toHaveLength(5)
    const left = await client.send(new s3.ListObjectsV2Command({ Bucket: 'desk', Prefix: 'list/' }))
    expect(left.KeyCount).toBe(0)
  })

  it('are written, copied, and read only if conditions hold', async () => {
    const { ETag = '' } = await put('condition', 'one')
    const unmet = { name: 'PreconditionFailed' }
    await expect(put('condition', 'two', { IfNoneMatch: '*' })).rejects.toMatchObject(unmet)
    await expect(put('condition', 'two', { IfMatch: '"0"' })).rejects.toMatchObject(unmet)
    await put('condition', 'two', { IfMatch: ETag })
    await expect(get('condition', { IfMatch: ETag })).rejects.toMatchObject(unmet)
    await expect(get('condition', { IfNoneMatch: `"${md5(Buffer.from('two'))}"` })).rejects.toMatchObject({
      $metadata: { httpStatusCode: 304 },
    })
    const copy = { Bucket: 'desk', Key: 'copy', CopySource: 'desk/condition' }
    await expect(client.send(new s3.CopyObjectCommand({ ...copy, CopySourceIfMatch: ETag }))).rejects.toMatchObject(
      unmet,
    )
    await client.send(
      new s3.CopyObjectCommand({ ...copy, MetadataDirective: 'REPLACE', Metadata: { a: 'é' }, ContentType: 'a/b' }),
    )
    expect(await get('copy')).toMatchObject({ ContentType: 'a/b' })
    expect(await textOf(get('copy'))).toBe('two')
  })

  it('are uploaded in parts', async () => {
    const part = randomBytes(5 * 1024 * 1024)
    const named = { Bucket: 'desk', Key: 'parts' }
    const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand(named))
    const { ETag } = await client.send(new s3.UploadPartCommand({ ...named, UploadId, PartNumber: 1, Body: part }))
    const copied = await client.send(
      new s3.UploadPartCopyCommand({ ...named, UploadId, PartNumber: 2, CopySource: 'desk/condition' }),
    )
    const listed = await client.send(new s3.ListPartsCommand({ ...named, UploadId }))
    expect(listed.Parts?.map(({ Size }) => Size)).toEqual([part.length, 3])
    const { Uploads } = await client.send(new s3.ListMultipartUploadsCommand({ Bucket: 'desk' }))
    expect(Uploads).toMatchObject([{ Key: 'parts', UploadId }])
    const Parts = [
      { PartNumber: 1, ETag },
      { PartNumber: 2, ETag: copied.CopyPartResult?.ETag },
    ]
    const completed = await client.send(
      new s3.CompleteMultipartUploadCommand({ ...named, UploadId, MultipartUpload: { Parts } }),
    )
    expect(completed.ETag).toMatch(/^"[0-9a-f]{32}-2"$/)
    expect(await textOf(get('parts', { Range: 'bytes=-3' }))).toBe('two')
    const wanted: s3.ObjectAttributes[] = ['ETag', 'ObjectParts', 'ObjectSize']
    const attributes = await client.send(new s3.GetObjectAttributesCommand({ ...named, ObjectAttributes: wanted }))
    expect(attributes).toMatchObject({ ObjectParts: { TotalPartsCount: 2 }, ObjectSize: part.length + 3 })
  })

  it('are refused if a checksum is wrong', async () => {
    await expect(put('wrong', 'one', { ChecksumCRC32: 'AAAAAA==' })).rejects.toMatchObject({ name: 'BadDigest' })
    await expect(get('wrong')).rejects.toMatchObject({ name: 'NoSuchKey' })
  })

  it('are stored by an HTML form with a signed policy', async () => {
    const fields = await signForm([
      { bucket: 'desk' },
      ['content-length-range', 1, 10],
      ['starts-with', '$key', 'form/'],
      { success_action_status: '201' },
    ])
    const send = (content: string) => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      form.append('key', `form/\${filename}`)
      form.append('success_action_status', '201')
      form.append('file', new Blob([content]), 'a b.txt')
      return fetch(`${endpoint()}/desk`, { method: 'POST', body: form })
    }
    const stored = await send('content')
    expect([stored.status, await stored.text()]).toEqual([201, expect.stringContaining('<Key>form/a b.txt</Key>')])
    expect(await textOf(get('form/a b.txt'))).toBe('content')
    const refused = await send('much too long')
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('<Code>EntityTooLarge</Code>'),
    ])
  })
})

/** The SDK signs forms in a package of its own. */
async function signForm(conditions: unknown[]): Promise<Record<string, string>> {
  const { accessKeyId, secretAccessKey } = await client.config.credentials()
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = [time.slice(0, 8), 'us-east-1', 's3', 'aws4_request']
  const own = {
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': [accessKeyId, ...scope].join('/'),
    'x-amz-date': time,
  }
  const expiration = new Date(Date.now() + 60_000).toISOString()
  const document = {
    expiration,
    conditions: [...conditions, ...Object.entries(own).map(([name, value]) => ({ [name]: value }))],
  }
  const policy = Buffer.from(JSON.stringify(document)).toString('base64')
  const sign = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  const key = scope.reduce<string | Buffer>(sign, `AWS4${secretAccessKey}`)
  return { ...own, policy, 'x-amz-signature': sign(key, policy).toString('hex') }
}

describe('the server', () => {
  it('asks a waiting client for its bytes only after it accepted the request', async () => {
    const command = (Bucket: string) => new s3.PutObjectCommand({ Bucket, Key: 'waiting', Body: 'bytes' })
    const ask = async (bucket: string) => {
      const url = await getSignedUrl(client, command(bucket))
      const headers = { expect: '100-continue', 'content-length': 5 }
      const outgoing = sendRequest(url, { method: 'PUT', headers, agent: false })
      let isAsked = false
      outgoing.on('continue', () => {
        isAsked = true
        outgoing.end('bytes')
      })
      outgoing.flushHeaders()
      const [response] = await once(outgoing, 'response')
      response.resume()
      await once(response, 'end')
      outgoing.destroy()
      return { isAsked, status: response.statusCode }
    }
    expect(await ask('desk')).toEqual({ isAsked: true, status: 200 })
    expect(await ask('missing')).toEqual({ isAsked: false, status: 404 })
  })

  it('returns errors as XML with the ID of the request, and none to HEAD', async () => {
    const response = await fetch(`${endpoint()}/desk/a%zz`)
    const text = await response.text()
    const id = response.headers.get('x-amz-request-id')
    expect(text).toContain(`<Code>InvalidURI</Code>`)
    expect(text).toContain(`<Resource>/desk/a%zz</Resource><RequestId>${id}</RequestId>`)
    expect(await (await fetch(`${endpoint()}/desk`, { method: 'HEAD' })).text()).toBe('')
    expect((await fetch(`${endpoint()}/desk/key`)).status).toBe(403)
    const url = await getSignedUrl(client, new s3.GetBucketVersioningCommand({ Bucket: 'desk' }))
    expect(await (await fetch(url)).text()).toContain('<Code>NotImplemented</Code>')
  })
})

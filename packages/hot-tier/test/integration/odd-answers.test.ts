import { hash } from 'node:crypto'
import type { RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { HotTier } from '../../src/hot-tier.ts'
import { createStoreCalls, storeLimits } from '../../src/store-calls.ts'
import { storeObject } from '../../src/write-object.ts'
import { answer, started, startOddStore } from '../odd-store.ts'

let t: Awaited<ReturnType<typeof startOddStore>>
beforeAll(async () => {
  t = await startOddStore()
})
afterAll(() => t[Symbol.asyncDispose]())

const never = new AbortController().signal
const refusal = (code: string) => `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>No</Message></Error>`

/** One response for each kind of request. Other requests get 404, as from a proxy. */
function answerEach(by: { HEAD: RequestListener; GET: RequestListener; list: RequestListener }): void {
  t.answerBy((request, response) => {
    const { method, url = '' } = request
    const how =
      method === 'HEAD' ? by.HEAD : method === 'GET' ? (url.includes('list-type=2') ? by.list : by.GET) : answer(404)
    how(request, response)
  })
}

const begin = ({ hotTier }: { hotTier: HotTier }) => hotTier.beginUpload('key', 'image/png')
const list = ({ hotTier }: { hotTier: HotTier }) => hotTier.listParts('key', 'upload')
const head = ({ hotTier }: { hotTier: HotTier }) => hotTier.head('key')
const remove = ({ hotTier }: { hotTier: HotTier }) => hotTier.remove('key')
const complete = ({ hotTier }: { hotTier: HotTier }, signal = never) =>
  hotTier.complete('key', 'upload', [{ partNumber: 1, sizeBytes: 1, etag: '"e"' }], signal)
const read = async ({ hotTier }: { hotTier: HotTier }, signal = never) => {
  const body = await hotTier.open('key', { sizeBytes: 3, range: { start: 0, end: 2 } }, signal)
  return body && (await buffer(body)).toString()
}

describe('an unreadable response', () => {
  it.each([
    ['is not XML', 'rubbish'],
    ['ends too early', `${started}<UploadId>one`],
    ['ends before its root element', `${started}<UploadId>one</UploadId>`],
  ])('is a failure of the store, without a retry: one that %s', async (_name, body) => {
    for (const call of [begin, list]) {
      const before = t.requests()
      t.answerBy(answer(200, body))
      await expect(call(t)).rejects.toMatchObject({ code: 'unavailable' })
      expect(t.requests() - before).toBe(1)
    }
  })

  it('does not prove a completion, which is repeated', async () => {
    for (const body of ['', ' \n', 'rubbish', '<?xml version="1.0"?><CompleteMultipartUploadResult><ETag>']) {
      t.answerBy(answer(200, body))
      expect(await complete(t)).toBe('unanswered')
    }
  })
})

describe('a completion', () => {
  it.each([
    [200, '<CompleteMultipartUploadResult><ETag>"e"</ETag></CompleteMultipartUploadResult>', 'answered'],
    [200, ` \n${refusal('InternalError')}`, 'unanswered'],
    [200, '<Error xmlns="http://s3.test/"><Code>InternalError</Code></Error>', 'unanswered'],
    [200, refusal('InvalidPart'), 'unanswered'],
    [400, refusal('InvalidPart'), 'refused'],
    [400, refusal('InvalidPartOrder'), 'refused'],
    [404, refusal('NoSuchUpload'), 'answered'],
    [412, refusal('PreconditionFailed'), 'answered'],
    [409, refusal('ConditionalRequestConflict'), 'answered'],
    [404, refusal('NoSuchBucket'), 'unanswered'],
    [500, refusal('InternalError'), 'unanswered'],
    [503, refusal('SlowDown'), 'unanswered'],
  ])('is sent once, and %i with %j makes it %s', async (status, body, outcome) => {
    const before = t.requests()
    t.answerBy(answer(status, body))
    expect(await complete(t)).toBe(outcome)
    expect(t.requests() - before).toBe(1)
  })
})

describe('a response of the store', () => {
  it.each([
    ['503', answer(503, refusal('SlowDown')), 2],
    ['500', answer(500, refusal('InternalError')), 2],
    ['429', answer(429, refusal('TooManyRequests')), 2],
    ['a missing bucket', answer(404, refusal('NoSuchBucket')), 1],
    ['an unknown access key', answer(403, refusal('InvalidAccessKeyId')), 1],
    ['denied access', answer(403, refusal('AccessDenied')), 1],
    ['a redirect', (_request, response) => void response.writeHead(307, { location: `${t.endpoint}/else` }).end(), 1],
    ['a closed connection', (request) => request.socket.destroy(), 2],
    ['a truncated response', (_request, response) => void cutOff(response), 2],
  ] as [string, RequestListener, number][])('is an outage: %s', async (_name, listener, requests) => {
    const before = t.requests()
    t.answerBy(listener)
    await expect(list(t)).rejects.toMatchObject({ code: 'unavailable' })
    expect(t.requests() - before).toBe(requests)
  })

  it('that refuses is not an outage and is not retried', async () => {
    const before = t.requests()
    t.answerBy(answer(400, refusal('InvalidArgument')))
    for (const call of [begin, list, remove, read])
      await expect(call(t)).rejects.toMatchObject({ name: 'InvalidArgument' })
    expect(t.requests() - before).toBe(4)
  })

  it('proves absence only with an S3 error code, and while the store responds to other requests', async () => {
    const listing = (inner: string) => answer(200, `<ListBucketResult><Name>bucket</Name>${inner}</ListBucketResult>`)
    const empty = listing('')
    const others = listing('<Contents><Key>key-2</Key><Size>4</Size></Contents>')
    const listed = listing('<Contents><Key>key</Key><Size>3</Size></Contents>')
    const html = answer(404, '<html><body><h1>404 Not Found</h1></body></html>')
    const [noKey, noUpload] = [answer(404, refusal('NoSuchKey')), answer(404, refusal('NoSuchUpload'))]
    const away = { code: 'unavailable' }

    for (const well of [empty, others]) {
      answerEach({ HEAD: answer(404), GET: noKey, list: well })
      expect([await head(t), await read(t)]).toEqual([null, null])
    }
    answerEach({ HEAD: answer(404), GET: noKey, list: listed })
    expect(await head(t)).toBe(3)
    await expect(read(t)).rejects.toMatchObject(away)
    for (const list of [html, answer(200, '<html>'), answer(404, refusal('NoSuchBucket')), answer(503)]) {
      answerEach({ HEAD: answer(404), GET: noKey, list })
      for (const call of [head, read]) await expect(call(t)).rejects.toMatchObject(away)
    }
    answerEach({ HEAD: answer(404), GET: html, list: empty })
    for (const call of [read, list, remove]) await expect(call(t)).rejects.toMatchObject(away)
    expect(await complete(t)).toBe('unanswered')

    answerEach({ HEAD: answer(200), GET: noUpload, list: empty })
    expect(await list(t)).toBeNull()
    for (const page of [html, answer(200, '<html>'), answer(503)]) {
      answerEach({ HEAD: answer(200), GET: noUpload, list: page })
      await expect(list(t)).rejects.toMatchObject(away)
    }
  })

  it('has the bytes of an object only if its size is the expected one or the one in the list', async () => {
    const listing = (size: number) =>
      answer(200, `<ListBucketResult><Contents><Key>key</Key><Size>${size}</Size></Contents></ListBucketResult>`)
    const part =
      (range: string, body: string): RequestListener =>
      (_, response) =>
        void response.writeHead(206, { 'content-range': range }).end(body)
    const sized =
      (body: string): RequestListener =>
      (_, response) =>
        void response.writeHead(200, { 'content-length': body.length }).end(body)
    const page = sized('<html>We will be back soon</html>')
    const whole = async () => {
      const body = await t.hotTier.open('key', { sizeBytes: 5 }, never)
      return body && (await buffer(body)).toString()
    }
    const away = { code: 'unavailable' }

    for (const GET of [page, part('bytes 0-4/5', 'abcde')]) {
      answerEach({ HEAD: answer(200), GET, list: listing(5) })
      await expect(whole()).rejects.toMatchObject(away)
    }
    for (const GET of [
      page,
      answer(200, 'abc'),
      part('bytes 3-5/6', 'abc'),
      part('bytes 0-2/9', 'abc'),
      answer(206, 'abc'),
    ]) {
      answerEach({ HEAD: answer(200), GET, list: listing(3) })
      await expect(read(t)).rejects.toMatchObject(away)
    }
    answerEach({ HEAD: answer(200), GET: sized('abcd'), list: listing(4) })
    expect(await whole()).toBe('abcd')
  })

  it('gives the size from the list of the bucket when HEAD has another size or no ETag', async () => {
    const listing = (inner: string) => answer(200, `<ListBucketResult>${inner}</ListBucketResult>`)
    const listed = listing('<Contents><Key>key</Key><Size>5</Size></Contents>')
    const sized =
      (size: number, etag?: string): RequestListener =>
      (_, response) =>
        void response
          .writeHead(200, { 'content-length': size, 'content-type': 'text/html', ...(etag && { etag }) })
          .end()
    const sizeOf5 = () => t.hotTier.head('key', { sizeBytes: 5 })

    for (const HEAD of [sized(27), sized(27, '"5f3c-1b"'), sized(5), sized(0)]) {
      answerEach({ HEAD, GET: answer(404), list: listed })
      expect(await sizeOf5()).toBe(5)
      answerEach({ HEAD, GET: answer(404), list: listing('') })
      expect(await sizeOf5()).toBeNull()
      for (const list of [answer(200, '<html>We will be back soon</html>'), answer(503), answer(404, '<html>')]) {
        answerEach({ HEAD, GET: answer(404), list })
        await expect(sizeOf5()).rejects.toMatchObject({ code: 'unavailable' })
      }
    }
    answerEach({
      HEAD: sized(6, '"e"'),
      GET: answer(404),
      list: listing('<Contents><Key>key</Key><Size>6</Size></Contents>'),
    })
    expect(await sizeOf5()).toBe(6)
    answerEach({ HEAD: sized(5, '"e"'), GET: answer(404), list: answer(503) })
    expect(await sizeOf5()).toBe(5)
  })

  it('proves success only as S3 does: not with a page, nor without the ETag of a created object', async () => {
    const bytes = { pieces: [Buffer.from('abc')], sizeBytes: 3, sha256: hash('sha256', 'abc') }
    const put = () => t.hotTier.putWhole('key', 'text/plain', bytes)
    for (const say of [answer(200, '<html>We will be back soon</html>'), answer(200)]) {
      t.answerBy(say)
      await expect(put()).rejects.toMatchObject({ code: 'unavailable' })
    }
    t.answerBy((_, response) => void response.writeHead(200, { etag: '"e"' }).end())
    expect(await put()).toBe('made')

    t.answerBy(answer(200, '<html>We will be back soon</html>'))
    await expect(remove(t)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(t.hotTier.health('thoroughly')).rejects.toMatchObject({ code: 'unavailable' })
    t.answerBy(answer(204))
    await remove(t)
  })

  it('is counted by operation and outcome', async () => {
    t.answerBy((_, response) => void response.writeHead(206, { 'content-range': 'bytes 0-2/3' }).end('abc'))
    expect(await read(t)).toBe('abc')
    const { text } = await t.metrics.render()
    expect(text).toMatch(/_count\{service="test",peer="object_storage",operation="GetObject",outcome="2xx"\} \d/)
  })
})

function callsWithin(limits: Partial<typeof storeLimits>) {
  const settings = { s3Endpoint: t.endpoint, s3Region: 'us-east-1', s3Bucket: 'bucket', s3ForcePathStyle: true }
  return createStoreCalls(settings, async () => t.credentials, undefined, { ...storeLimits, ...limits })
}

describe('own bytes', () => {
  const store = async (bytes: string) => {
    t.answerBy((request, response) => {
      if (request.url?.includes('uploads='))
        answer(200, `${started}<UploadId>one</UploadId></InitiateMultipartUploadResult>`)(request, response)
      else request.socket.write(bytes)
    })
    using calls = callsWithin({ partTimeoutMs: 300, wholeAnswerTimeoutMs: 300 })
    const body = Readable.from([Buffer.from('abc')])
    await storeObject(calls, 'key', { mimeType: 'text/plain', body }, never)
  }

  it.each([
    ['before its response', ''],
    ['in the body', `HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n${started}`],
    ['in an error', 'HTTP/1.1 404 Not Found\r\nContent-Length: 500\r\n\r\n<Error><Code>NoSuchUpload</Code>'],
  ])('time out when the store stops sending %s', async (_, bytes) => {
    await expect(store(bytes)).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('a stalled store', () => {
  beforeEach(() => t.answerBy(() => {}))

  it('times out within the promised time', async () => {
    expect(storeLimits.wholeAnswerTimeoutMs).toBeLessThanOrEqual(8_000)
    // Only this limit ends the test.
    using calls = callsWithin({ wholeAnswerTimeoutMs: 100, answerTimeoutMs: 600_000, silenceTimeoutMs: 600_000 })
    const ask = () => calls.ask('ListObjectsV2', { method: 'GET', query: { 'list-type': '2' } })
    await expect(ask()).rejects.toMatchObject({ code: 'unavailable' })
    t.answerBy((_request, response) => void response.writeHead(200).write('<'))
    for (const call of [ask, () => list(t)]) await expect(call()).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('is abandoned when the caller aborts, which is not an outage', async () => {
    await expect(t.hotTier.head('key', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    await expect(read(t, AbortSignal.timeout(100))).rejects.toMatchObject({ name: 'AbortError' })
    expect(await complete(t, AbortSignal.timeout(100))).toBe('answered')
  })

  it('in the middle of an object’s bytes never makes them look complete', async () => {
    const head = { 'content-length': 3, 'content-range': 'bytes 0-2/3' }
    t.answerBy((_request, response) => void response.writeHead(206, head).write('ab'))
    await expect(read(t, AbortSignal.timeout(500))).rejects.toThrow()
    t.answerBy((_request, response) => void response.writeHead(206, head).write('ab', () => response.destroy()))
    await expect(read(t)).rejects.toThrow()
  })
})

function cutOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 500 })
  response.write('ab', () => response.destroy())
}

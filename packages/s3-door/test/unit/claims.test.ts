import { createHmac, hash } from 'node:crypto'
import { S3Client } from '@aws-sdk/client-s3'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { S3Error } from '../../src/errors.ts'
import { readClaim } from '../../src/signature/claim.ts'
import { DOCUMENTED_REQUESTS, DOCUMENTED_TIME } from '../fixtures/documented-requests.ts'
import { createRawServer } from '../raw-server.ts'
import { EXAMPLE, received, type Sent, signingKey, verified } from '../signing.ts'

const { sha256 } = new S3Client({ region: 'unused' }).config
const get = DOCUMENTED_REQUESTS['GET with a range'] as Sent & { headers: Record<string, string> }
const presigned = DOCUMENTED_REQUESTS['presigned GET'] as Sent
const authorization = get.headers.authorization as string
const later = (seconds: number) => new Date(DOCUMENTED_TIME.getTime() + seconds * 1000)

function refusal(sent: Sent, now = DOCUMENTED_TIME, region = 'us-east-1'): unknown {
  try {
    return readClaim(received(sent), { region, now })
  } catch (error) {
    return error
  }
}

const withHeaders = (headers: Record<string, string>): Sent => ({ ...get, headers: { ...get.headers, ...headers } })
const withAuthorization = (value: string) => withHeaders({ authorization: value })
const withQuery = (from: string | RegExp, to: string): Sent => ({ ...presigned, url: presigned.url.replace(from, to) })

describe('the header Authorization', () => {
  it.each([
    ['AWS AKIAIOSFODNN7EXAMPLE:signature', 'InvalidRequest', 'Please use AWS4-HMAC-SHA256.'],
    [authorization.replace('HMAC', 'ECDSA-P256'), 'InvalidRequest', 'Please use AWS4-HMAC-SHA256.'],
    ['Bearer secret-token', 'InvalidArgument', 'Unsupported Authorization Type'],
    ['invalid_header', 'InvalidArgument', "one and only one ' ' (space) required."],
    [authorization.replace(/,Signature.*/, ''), 'AuthorizationHeaderMalformed', 'requires three components'],
    [authorization.replace('SignedHeaders=', 'SignedHeaders-'), 'AuthorizationHeaderMalformed', '"SignedHeaders-'],
    [authorization.replace('Credential', 'credential'), 'AuthorizationHeaderMalformed', 'missing Credential.'],
    [authorization.replace(/Signature=.*/, 'Signature='), 'AuthorizationHeaderMalformed', 'missing Signature.'],
    [authorization.replace('host;range', 'range;Host'), 'AuthorizationHeaderMalformed', 'lower-case names'],
    [authorization.replace('host;range', 'host;host;range'), 'AuthorizationHeaderMalformed', 'different'],
    [authorization.replace('/s3/', '/s3/x/'), 'AuthorizationHeaderMalformed', 'the Credential is mal-formed'],
    [authorization.replace('/s3/', '/ec2/'), 'AuthorizationHeaderMalformed', 'incorrect service "ec2".'],
    [authorization.replace('4_request', '5_request'), 'AuthorizationHeaderMalformed', 'terminal "aws5_request".'],
    [
      authorization.replace('20130524', '20130231'),
      'AuthorizationHeaderMalformed',
      'incorrect date format "20130231".',
    ],
    [
      authorization.replace('20130524', '20130523'),
      'AuthorizationHeaderMalformed',
      'Invalid credential date "20130523".',
    ],
  ])('%j is refused', (value, code, message) => {
    expect(refusal(withAuthorization(value))).toMatchObject({ code, message: expect.stringContaining(message) })
    expect(JSON.stringify(refusal(withAuthorization(value)))).not.toContain('secret-token')
  })

  it('of another region names the right one', () => {
    expect(refusal(get, DOCUMENTED_TIME, 'eu-1')).toMatchObject({
      code: 'AuthorizationHeaderMalformed',
      message: 'The authorization header is malformed; the region "us-east-1" is wrong; expecting "eu-1"',
      fields: { Region: 'eu-1' },
    })
  })

  it('is refused with a time that is missing, not a time, or more than 15 minutes from now', () => {
    for (const time of ['', '03032006', '20130524T250000Z', '2013-05-24T00:00:00Z']) {
      expect(refusal(withHeaders({ 'x-amz-date': time }))).toMatchObject({ code: 'AccessDenied' })
    }
    for (const seconds of [901, -901, 86_400 * 365]) {
      const fields = { RequestTime: '20130524T000000Z', MaxAllowedSkewMilliseconds: '900000' }
      expect(refusal(get, later(seconds))).toMatchObject({ code: 'RequestTimeTooSkewed', status: 403, fields })
    }
    for (const seconds of [900, -900]) expect(verified(get, later(seconds)).at).toEqual(DOCUMENTED_TIME)
  })

  it('is refused with a session token or without a promise about the body', () => {
    expect(refusal(withHeaders({ 'x-amz-security-token': 'a' }))).toMatchObject({ code: 'InvalidToken' })
    expect(refusal(withHeaders({ 'x-amz-content-sha256': '' }))).toMatchObject({ code: 'InvalidRequest' })
    expect(refusal(withHeaders({ 'x-amz-content-sha256': 'abc' }))).toMatchObject({ code: 'InvalidArgument' })
  })

  it('may have its time in the header Date', () => {
    const date = 'Fri, 24 May 2013 00:00:00 GMT'
    const scope = '20130524/us-east-1/s3/aws4_request'
    const names = 'date;host;x-amz-content-sha256'
    const canonical = `GET\n/\n\ndate:${date}\nhost:h\nx-amz-content-sha256:UNSIGNED-PAYLOAD\n\n${names}\nUNSIGNED-PAYLOAD`
    const toSign = `AWS4-HMAC-SHA256\n20130524T000000Z\n${scope}\n${hash('sha256', canonical)}`
    const signature = createHmac('sha256', signingKey('20130524')).update(toSign).digest('hex')
    const value = `AWS4-HMAC-SHA256 Credential=${EXAMPLE.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
    const headers = { host: 'h', date, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', authorization: value }
    expect(verified({ method: 'GET', url: '/', headers }, DOCUMENTED_TIME).at).toEqual(DOCUMENTED_TIME)
  })
})

describe('a presigned URL', () => {
  it.each<[string, Sent, string, string]>([
    [
      'another algorithm',
      withQuery('HMAC-SHA256', 'SHA256'),
      'AuthorizationQueryParametersError',
      'AWS4-HMAC-SHA256 and',
    ],
    ['ECDSA', withQuery('HMAC', 'ECDSA-P256'), 'AuthorizationQueryParametersError', 'only supports "AWS4-HMAC-SHA256"'],
    ['no signature', withQuery(/&X-Amz-Signature.*/, ''), 'AuthorizationQueryParametersError', 'requires the'],
    ['no date', withQuery('X-Amz-Date', 'X-Date'), 'AuthorizationQueryParametersError', 'requires the'],
    ['two dates', withQuery('&X-Amz-Date', '&X-Amz-Date=a&X-Amz-Date'), 'AuthorizationQueryParametersError', 'once'],
    ['a wrong date', withQuery('0524T', '0231T'), 'AuthorizationQueryParametersError', 'ISO8601 Long Format'],
    ['another day', withQuery('0524%2F', '0523%2F'), 'AuthorizationQueryParametersError', '"20130523".'],
    [
      'another region',
      withQuery('us-east-1', 'eu-1'),
      'AuthorizationQueryParametersError',
      'the region "eu-1" is wrong',
    ],
    ['no number', withQuery('=86400', '=1e3'), 'AuthorizationQueryParametersError', 'should be a number'],
    ['a negative expiry', withQuery('=86400', '=-3'), 'AuthorizationQueryParametersError', 'must be non-negative'],
    ['no time to live', withQuery('=86400', '=0'), 'AuthorizationQueryParametersError', 'must be at least 1'],
    ['more than a week', withQuery('=86400', '=604801'), 'AuthorizationQueryParametersError', 'less than a week'],
    ['a session token', withQuery('?', '?X-Amz-Security-Token=a&'), 'InvalidToken', ''],
    ['version 2', { ...presigned, url: '/a?AWSAccessKeyId=a&Signature=b&Expires=9' }, 'InvalidRequest', 'Please use'],
    ['a hoisted header twice', withQuery('?', '?x-amz-acl=a&X-Amz-ACL=b&'), 'InvalidRequest', 'more than once'],
    ['a header as well', { ...presigned, headers: get.headers }, 'InvalidArgument', 'Only one auth mechanism allowed'],
  ])('with %s is refused', (_, sent, code, message) => {
    expect(refusal(sent)).toMatchObject({ code, message: expect.stringContaining(message) })
  })

  it('is valid from 15 minutes before its date until it expires', () => {
    expect(verified(presigned, later(-900)).source).toBe('query')
    expect(verified(presigned, later(86_400)).source).toBe('query')
    expect(refusal(presigned, later(-901))).toMatchObject({
      code: 'AccessDenied',
      message: 'Request is not valid yet.',
    })
    expect(refusal(presigned, later(86_401))).toMatchObject({
      ...{ code: 'AccessDenied', message: 'Request has expired.' },
      fields: { 'X-Amz-Expires': '86400', Expires: '2013-05-25T00:00:00Z', ServerTime: '2013-05-25T00:00:01Z' },
    })
  })

  it('does not cover headers that were added to it', () => {
    const headers = { ...presigned.headers, 'x-amz-tagging': 'a=b', 'x-amz-copy-source': 'b/k', range: 'bytes=0-1' }
    expect(refusal({ ...presigned, headers })).toMatchObject({
      code: 'AccessDenied',
      fields: { HeadersNotSigned: 'x-amz-copy-source, x-amz-tagging' },
    })
  })
})

describe('a request on the wire', () => {
  let server: Awaited<ReturnType<typeof createRawServer>>
  beforeAll(async () => {
    server = await createRawServer()
  })
  afterAll(() => server.close())

  /** The claim or error of a request that is sent with these lines. */
  async function sendLines(target: string, headers: readonly string[]): Promise<unknown> {
    const parsed = await server.send([`GET ${target} HTTP/1.1`, ...headers])
    if (typeof parsed === 'number') return parsed
    try {
      return readClaim(parsed, { region: 'us-east-1', now: DOCUMENTED_TIME })
    } catch (error) {
      return error
    }
  }
  const lines = (headers: Sent['headers']) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

  it('with a header twice, folded, or with a space before the colon is refused', async () => {
    const usual = lines(get.headers)
    expect(await sendLines('/test.txt', usual)).toMatchObject({ accessKeyId: EXAMPLE.accessKeyId })
    for (const name of ['x-amz-date', 'x-amz-content-sha256', 'authorization', 'date']) {
      const repeated = [`${name}: ${get.headers[name] ?? 'a'}`, `${name}: b`, ...usual]
      expect(await sendLines('/test.txt', repeated), name).toMatchObject({ code: 'InvalidRequest' })
    }
    for (const line of ['host: other', 'Host:', 'x-amz-date : 20130524T000000Z', ' folded', 'x-amz-acl:\r\n private']) {
      const outcome = await sendLines('/test.txt', [...usual, line])
      expect(outcome === 400 || (outcome as S3Error).code === 'InvalidRequest', line).toBe(true)
    }
    expect(await sendLines('http://other.example.org/test.txt', usual)).toMatchObject({ code: 'InvalidURI' })
  })

  it('without a signature is anonymous', async () => {
    expect(await sendLines('/test.txt?X-Amz-Meta=a', ['host: h'])).toBeNull()
  })
})

async function signed(sent: Sent): Promise<Sent> {
  const signer = new SignatureV4({
    ...{ service: 's3', region: 'us-east-1', credentials: EXAMPLE, sha256, uriEscapePath: false, applyChecksum: false },
  })
  const headers = sent.headers as Record<string, string>
  const request = new HttpRequest({ method: sent.method, path: sent.url, headers, hostname: 'unused' })
  const options = { signingDate: DOCUMENTED_TIME, signableHeaders: new Set(Object.keys(headers)) }
  return { ...sent, headers: (await signer.sign(request, options)).headers }
}

describe('values of headers', () => {
  const headers = (note: string) => ({
    ...{ host: 'h', 'x-amz-content-sha256': hash('sha256', ''), 'x-amz-meta-note': note },
  })
  const latin1 = (text: string) => Buffer.from(text).toString('latin1')

  it('are verified as bytes, and in the form of boto, which signs UTF-8 and sends latin1', async () => {
    for (const note of ['Grüße', 'x é', 'naïve  ', 'Grüße\u00a0  漢 ']) {
      const { headers: signedHeaders } = await signed({ method: 'GET', url: '/', headers: headers(note) })
      const utf8 = { ...(signedHeaders as Record<string, string>), 'x-amz-meta-note': latin1(note) }
      const isLatin1 = [...note].every((one) => one < '\u0100')
      for (const one of isLatin1 ? [signedHeaders, utf8] : [utf8]) {
        verified({ method: 'GET', url: '/', headers: one }, DOCUMENTED_TIME)
      }
      const changed = { ...utf8, 'x-amz-meta-note': latin1(`${note}!`) }
      expect(() => verified({ method: 'GET', url: '/', headers: changed }, DOCUMENTED_TIME)).toThrow('does not match')
    }
  })

  it('with many spaces and tabs do not take quadratic time', () => {
    const note = `a${' '.repeat(300_000)}b${'\t'.repeat(300_000)}c`
    const started = performance.now()
    expect(() => verified(withHeaders({ range: note }), DOCUMENTED_TIME)).toThrow('does not match')
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('may not lose a header that was signed, even an empty one', async () => {
    const { headers: all } = await signed({ method: 'GET', url: '/', headers: { ...headers('a'), range: '' } })
    const { range: _, ...others } = all as Record<string, string>
    verified({ method: 'GET', url: '/', headers: all }, DOCUMENTED_TIME)
    expect(() => verified({ method: 'GET', url: '/', headers: others }, DOCUMENTED_TIME)).toThrow('does not match')
  })
})

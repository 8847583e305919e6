import { hash } from 'node:crypto'
import { S3Client } from '@aws-sdk/client-s3'
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import { type Random, withSeed } from '@tideport/testing/with-seed'
import { describe, expect, it } from 'vitest'
import { S3Error } from '../../src/errors.ts'
import { EXAMPLE, type Sent, verified } from '../signing.ts'

/** The number of random requests, which differ in every run. */
const REQUESTS = 500
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const
const REGIONS = ['us-east-1', 'eu-central-1', 'auto'] as const
/** Characters that encoders, routers, and normalizers change. */
const ALPHABET = [...' !"#$%&\'()*+,-.:;<=>?@[\\]^_`{|}~aZ09äß漢😀\u00a0', '%2F', '%25', '..', '//', '/./', '/']
const PRINTABLE = ALPHABET.filter((one) => /^[ -~]+$/.test(one))

const { sha256 } = new S3Client({ region: 'unused' }).config

/** Many random numbers from one draw of `withSeed`, because each of its draws computes a hash. */
function quick(random: Random): Random {
  let state = Math.floor(random() * 2 ** 32)
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const pick = <T>(from: readonly T[], random: Random): T => from[Math.floor(random() * from.length)] as T
const text = (random: Random, max: number, from: readonly string[] = ALPHABET) =>
  Array.from({ length: 1 + Math.floor(random() * max) }, () => pick(from, random)).join('')

const encode = (part: string) =>
  encodeURIComponent(part).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
const encodePath = (key: string) => key.split('/').map(encode).join('/')

function randomRequest(random: Random) {
  const names = Array.from({ length: Math.floor(random() * 5) }, () => text(random, 5, [...'aBz-.0_ +']))
  const query = Object.fromEntries(
    names.map((name) => [name, random() < 0.2 ? [text(random, 4), text(random, 4)] : text(random, 6)]),
  )
  const headers = {
    host: pick(['127.0.0.1:7070', 'bucket.s3.example.org', 'BUCKET.example.org:80'], random),
    ...(random() < 0.5 && { 'content-type': ` text/${text(random, 6, [...'abc  ;='])}` }),
    ...(random() < 0.5 && { 'x-amz-meta-note': `  ${text(random, 9, PRINTABLE)}   ${text(random, 3, PRINTABLE)} ` }),
  }
  const at = new Date(Date.UTC(2020, 0, 1) + Math.floor(random() * 10 * 365 * 86_400) * 1000)
  return { method: pick(METHODS, random), path: `/b/${encodePath(text(random, 9))}`, query, headers, at }
}

type Query = Readonly<Record<string, string | string[] | null | undefined>>

/** The query as a client may send it: in any order, and with any spelling of the same bytes. */
function spelled(query: Query, random: Random): string {
  const spell = (part: string) => {
    const strict = encode(part)
    if (random() < 0.3) return strict.replaceAll('%20', '+')
    return random() < 0.3 ? strict.replaceAll(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()) : strict
  }
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values ?? ''].flat().map((value) => [name, value] as const),
  )
  const ordered = pairs.map((pair) => ({ pair, rank: random() })).sort((a, b) => a.rank - b.rank)
  return ordered.map(({ pair: [name, value] }) => `${spell(name)}=${spell(value)}`).join('&')
}

const target = (path: string, query: string) => (query === '' ? path : `${path}?${query}`)

/** Changes of a signed request that each give it another meaning. */
const CHANGES: readonly ((sent: Sent) => Sent)[] = [
  (sent) => ({ ...sent, method: sent.method === 'GET' ? 'DELETE' : 'GET' }),
  (sent) => ({ ...sent, url: sent.url.replace('/b/', '/c/') }),
  (sent) => ({ ...sent, url: sent.url.replace('/b/', '//b/') }),
  (sent) => ({ ...sent, url: sent.url.replace('/b/', '/b%2F') }),
  (sent) => ({ ...sent, url: sent.url.replace('/b/', '/x/../b/') }),
  (sent) => ({ ...sent, url: sent.url.replace('/b/', '/%62%2f') }),
  (sent) => ({ ...sent, url: `${sent.url}${sent.url.includes('?') ? '&' : '?'}acl` }),
  (sent) => ({ ...sent, headers: { ...sent.headers, host: 'other.example.org' } }),
  (sent) => ({ ...sent, headers: { ...sent.headers, 'x-amz-acl': 'public-read' } }),
]

function expectRefused(sent: Sent, now: Date, region: string): void {
  for (const change of CHANGES) {
    const changed = change(sent)
    let refusal: unknown
    try {
      verified(changed, now, EXAMPLE, region)
    } catch (error) {
      refusal = error
    }
    expect(refusal, `${changed.method} ${changed.url}`).toBeInstanceOf(S3Error)
    expect(['SignatureDoesNotMatch', 'AccessDenied']).toContain((refusal as S3Error).code)
  }
}

describe('a signature of the SDK', () => {
  it('in a header is valid for its request in any spelling, and for no other request', async () => {
    await withSeed(async (seed) => {
      const random = quick(seed)
      for (let count = 0; count < REQUESTS; count += 1) {
        const { method, path, query, headers, at } = randomRequest(random)
        const region = pick(REGIONS, random)
        const signer = new SignatureV4({
          ...{ service: 's3', region, credentials: EXAMPLE, sha256, uriEscapePath: false, applyChecksum: false },
        })
        const all = { ...headers, 'x-amz-content-sha256': hash('sha256', text(random, 9)) }
        const request = new HttpRequest({ method, path, query, headers: all, protocol: 'http:', hostname: 'unused' })
        const signed = await signer.sign(request, { signingDate: at, signableHeaders: new Set(Object.keys(headers)) })
        const sent = { method, url: target(path, spelled(query, random)), headers: signed.headers }
        expect(verified(sent, at, EXAMPLE, region).region).toBe(region)
        if (count % 10 === 0) expectRefused(sent, at, region)
      }
    })
  })

  it('in a query is valid for its request in any spelling, and for no other request', async () => {
    await withSeed(async (seed) => {
      const random = quick(seed)
      for (let count = 0; count < REQUESTS; count += 1) {
        const { method, path, query, headers, at } = randomRequest(random)
        const region = pick(REGIONS, random)
        const presigner = new S3RequestPresigner({ region, credentials: EXAMPLE, sha256 })
        const request = new HttpRequest({ method, path, query, headers, protocol: 'http:', hostname: 'unused' })
        const signed = await presigner.presign(request, { expiresIn: 900, signingDate: at })
        const sent = {
          ...{ method, url: target(path, spelled(signed.query ?? {}, random)) },
          headers: { host: signed.headers.host as string },
        }
        const claim = verified(sent, at, EXAMPLE, region)
        expect(claim.hoisted['x-amz-meta-note']).toBe((headers as Record<string, string>)['x-amz-meta-note'])
        if (count % 10 === 0) expectRefused(sent, at, region)
      }
    })
  })
})

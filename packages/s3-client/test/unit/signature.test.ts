import { hash } from 'node:crypto'
import { S3Client } from '@aws-sdk/client-s3'
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
import { type Random, withSeed } from '@tideport/testing/with-seed'
import { describe, expect, it } from 'vitest'
import { createSigner, encodePath } from '../../src/signature.ts'

/** The number of random inputs, which differ in every run. */
const INPUTS = 2_000
const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'] as const
const REGIONS = ['us-east-1', 'eu-central-1', 'auto']
/** Characters of keys, types, and dispositions, and those that encoders often get wrong. */
const ALPHABET = [...' !"#$%&\'()*+,-.:;<=>?@[\\]^_`{|}~aZ09äß漢😀\u00a0']

const pick = <T>(from: readonly T[], random: Random): T => from[Math.floor(random() * from.length)] as T
const text = (random: Random, max: number, from: readonly string[] = ALPHABET) =>
  Array.from({ length: 1 + Math.floor(random() * max) }, () => pick(from, random)).join('')

/** Many random numbers from one draw of `withSeed`, because each of its draws computes a hash. */
function quick(random: Random): Random {
  let state = Math.floor(random() * 2 ** 32)
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const { sha256 } = new S3Client({ region: 'unused' }).config

function randomInput(random: Random) {
  const key = Array.from({ length: 1 + Math.floor(random() * 3) }, () => text(random, 12)).join('/')
  const names = Array.from({ length: Math.floor(random() * 4) }, () => text(random, 8, [...'aBz-.0_']))
  const query = Object.fromEntries(names.map((name) => [name, text(random, 10)]))
  const ascii = ALPHABET.filter((one) => one < '\x7f')
  const headers = {
    host: pick(['127.0.0.1:7070', 'bucket.s3.eu-central-1.amazonaws.com'], random),
    ...(random() < 0.5 && { 'content-type': ` text/${text(random, 6, [...'abc  ;='])}` }),
    ...(random() < 0.3 && { range: `bytes=${Math.floor(random() * 99)}-` }),
    ...(random() < 0.3 && { 'x-amz-meta-note': text(random, 9, ascii) }),
  }
  const credentials = {
    accessKeyId: text(random, 20, [...'AKIA0123']),
    secretAccessKey: text(random, 40),
    ...(random() < 0.5 && { sessionToken: text(random, 60, [...'abc/+=']) }),
  }
  const at = new Date(Date.UTC(2020, 0, 1) + Math.floor(random() * 10 * 365 * 86_400_000))
  return { method: pick(METHODS, random), path: `/bucket/${encodePath(key)}`, query, headers, credentials, at }
}

describe('a signature', () => {
  it('equals the signature of the SDK for any request', async () => {
    await withSeed(async (seed) => {
      const random = quick(seed)
      const signers = new Map(REGIONS.map((region) => [region, createSigner(region)]))
      for (let input = 0; input < INPUTS; input += 1) {
        const { method, path, query, headers, credentials, at } = randomInput(random)
        const region = pick(REGIONS, random)
        const payload = hash('sha256', text(random, 20))
        const ours = signers.get(region)?.sign({ method, path, query, headers }, credentials, at, payload)
        const sdk = new SignatureV4({
          ...{ service: 's3', region, credentials, sha256, uriEscapePath: false, applyChecksum: false },
        })
        const request = new HttpRequest({
          ...{ method, path, query, protocol: 'http:', hostname: 'unused' },
          headers: { ...headers, 'x-amz-content-sha256': payload },
        })
        const theirs = await sdk.sign(request, { signingDate: at, signableHeaders: new Set(Object.keys(headers)) })
        expect(ours?.headers).toEqual(theirs.headers)
      }
    })
  })

  it('in a URL equals the signature of the SDK', async () => {
    await withSeed(async (seed) => {
      const random = quick(seed)
      for (let input = 0; input < INPUTS; input += 1) {
        const { method, path, query, headers, credentials, at } = randomInput(random)
        const region = pick(REGIONS, random)
        const own = {
          host: headers.host,
          ...('content-type' in headers && { 'content-type': headers['content-type'] }),
        }
        const ours = createSigner(region).presign({ method, path, query, headers: own }, credentials, at, 900)
        const presigner = new S3RequestPresigner({ region, credentials, sha256 })
        const request = new HttpRequest({ method, path, query, headers: own, protocol: 'http:', hostname: 'unused' })
        const options = { expiresIn: 900, signingDate: at, signableHeaders: new Set(Object.keys(own)) }
        const theirs = await presigner.presign(request, options)
        const params = Object.fromEntries(new URLSearchParams(ours.slice(ours.indexOf('?') + 1)))
        expect(ours.slice(0, ours.indexOf('?'))).toBe(theirs.path)
        expect(params).toEqual(theirs.query)
      }
    })
  })

  it('does not reuse the key of another day or secret', () => {
    const signer = createSigner('us-east-1')
    const request = { method: 'GET', path: '/', query: {}, headers: { host: 'a' } }
    const sign = (secretAccessKey: string, at: string, by = createSigner('us-east-1')) =>
      by.sign(request, { accessKeyId: 'a', secretAccessKey }, new Date(at), 'UNSIGNED-PAYLOAD').headers.authorization
    for (const [secret, at] of [
      ...[['one', '2026-01-01T23:59:59Z'] as const, ['one', '2026-01-02T00:00:00Z'] as const],
      ...[['two', '2026-01-02T00:00:00Z'] as const, ['one', '2026-01-02T00:00:00Z'] as const],
    ]) {
      expect(sign(secret, at, signer)).toBe(sign(secret, at))
    }
  })
})

import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { NetworkError } from '../../src/errors.ts'
import { ANSWER_MS, QUESTION_DEADLINE_MS } from '../../src/s3/bucket.ts'
import type { CopyName } from '../../src/storage-network.ts'
import { createBucketNetwork } from '../bucket-network.ts'
import { codeOf, factsOf, read, store } from '../copies.ts'

const signal = new AbortController().signal
const MIB = 1024 * 1024

type Of = (request: IncomingMessage) => boolean
const ofAll: Of = () => true

function refuse(response: ServerResponse, status: number, code: string | null): void {
  const body = code === null ? '<html>A proxy</html>' : `<Error><Code>${code}</Code><Message>No</Message></Error>`
  response.writeHead(status, { 'content-length': body.length }).end(body)
}

let own: Awaited<ReturnType<typeof createBucketNetwork>>
let front: Awaited<ReturnType<typeof startFrontOfStore>>
beforeAll(async () => {
  own = await createBucketNetwork()
  front = await startFrontOfStore(own.bucket.settings)
})
afterEach(() => front.pass())
afterAll(async () => {
  await front[Symbol.asyncDispose]()
  await own[Symbol.asyncDispose]()
})

function setup() {
  const open = (different: Parameters<typeof own.open>[0] = {}) =>
    own.open({ endpoint: front.settings.endpoint, ...different })
  const failBy = (status: number, code: string | null, of: Of) =>
    front.answerBy((request, response) => {
      if (!of(request)) return false
      refuse(response, status, code)
      return true
    })
  return { ...own, front, open, network: open(), failBy }
}

describe('s3: a failing bucket', () => {
  it.each([
    [401, 'Unauthorized', 'unreachable'],
    [403, 'AccessDenied', 'unreachable'],
    [403, 'SignatureDoesNotMatch', 'unreachable'],
    [404, 'NoSuchBucket', 'unreachable'],
    [404, null, 'unreachable'],
    [429, 'TooManyRequests', 'unreachable'],
    [502, null, 'unreachable'],
    [503, 'SlowDown', 'unreachable'],
    [500, 'InternalError', 'copy_failed'],
    [507, 'XMinioStorageFull', 'no_space'],
  ] as const)('with %s %s is %s, and never without copies', async (status, code, expected) => {
    const t = setup()
    const bytes = randomBytes(MIB + 1)
    const copy = await store(t.network, bytes)
    t.failBy(status, code, ofAll)
    const network = t.open()
    for (const call of [
      () => network.open(copy, { signal }),
      () => network.open({ blobId: copy.blobId }, { signal }),
      () => network.prove(copy, factsOf(bytes), signal),
      () => network.remove(copy, signal),
      () => store(network, bytes),
    ]) {
      const error = await call().then(
        () => expect.unreachable('it should have failed'),
        (thrown: NetworkError) => thrown,
      )
      expect(error).toBeInstanceOf(NetworkError)
      expect(error.code).toBe(expected)
      const shown = inspect(error, { depth: 9 })
      expect(shown).not.toContain(t.config.secretAccessKey)
      expect(shown).not.toContain('Signature=')
      expect(shown).not.toContain(t.front.settings.endpoint)
    }
    // The response to a HEAD has no body with details.
    expect(['unreachable', expected]).toContain(await codeOf(network.stat(copy, signal)))
    t.front.pass()
    expect((await read(network, copy)).equals(bytes)).toBe(true)
  })

  it('times out when it does not respond', async () => {
    expect(ANSWER_MS).toBeLessThanOrEqual(4_000)
    expect(QUESTION_DEADLINE_MS).toBeLessThanOrEqual(9_000)
    const t = setup()
    const copy = await store(t.network, randomBytes(100))
    t.front.answerBy(() => true)
    const calls = [t.network.open(copy, { signal }), t.network.stat(copy, signal), t.network.health(signal)]
    const failed = (code: string) => ({ status: 'rejected', reason: { code, fault: 'hanging' } })
    expect(await Promise.allSettled(calls)).toMatchObject(['copy_failed', 'copy_failed', 'unreachable'].map(failed))
    await expect(t.network.health(AbortSignal.timeout(50))).rejects.toMatchObject({ code: 'unreachable' })
    t.front.pass()
    await t.network.health(signal)
  })

  it('reports nothing about copies while its marker is missing or foreign, whatever it returns for objects', async () => {
    const t = setup()
    const copy = await store(t.network, randomBytes(100))
    t.failBy(500, 'InternalError', ofAll)
    await expect(t.network.health(signal)).rejects.toMatchObject({ code: 'unreachable', fault: 'failing' })
    t.failBy(404, 'NoSuchKey', ofAll)
    for (const call of [() => t.network.stat(copy, signal), () => t.network.open(copy, { signal })]) {
      await expect(call()).rejects.toMatchObject({ code: 'unreachable', fault: 'missing' })
    }
    t.front.pass()
    const other = own.open({ name: 'bucket-b' })
    await expect(other.health(signal)).rejects.toMatchObject({ code: 'unreachable', fault: 'foreign' })
    await expect(other.prove({ ...copy, reference: 'none' }, factsOf(Buffer.alloc(1)), signal)).rejects.toMatchObject({
      fault: 'foreign',
    })
    await expect(store(other, randomBytes(9))).rejects.toMatchObject({ fault: 'foreign' })
  })

  it('returns neither a wrong byte nor an end of the stream when a response breaks off', async () => {
    const t = setup()
    const bytes = randomBytes(2 * MIB)
    const copy = await store(t.network, bytes)
    t.front.answerBy(({ url = '' }, response) => {
      if (!url.includes('/content/')) return false
      response
        .writeHead(200, { 'content-length': bytes.length })
        .write(bytes.subarray(0, MIB), () => response.destroy())
      return true
    })
    expect(await codeOf(read(t.network, copy))).toBe('unreachable')
  })

  it('fails within the deadline when it sends only a part of a tree', async () => {
    expect(QUESTION_DEADLINE_MS).toBeLessThanOrEqual(9_000)
    const t = setup()
    const bytes = randomBytes(2 * MIB)
    const copy = await store(t.network, bytes)
    const calls = (network = t.open()) => [
      network.open(copy, { signal }),
      network.stat(copy, signal),
      network.prove(copy, factsOf(bytes), signal),
    ]
    const giveSome = (then: (response: ServerResponse) => void) =>
      t.front.answerBy(({ url = '' }, response) => {
        if (!url.includes('.dag')) return false
        response.writeHead(200, { 'content-length': 132 }).write('abc', () => then(response))
        return true
      })
    giveSome((response) => response.destroy())
    expect(await Promise.all(calls().map(codeOf))).toEqual(['unreachable', 'unreachable', 'unreachable'])
    giveSome(() => undefined)
    expect(await Promise.all(calls().map(codeOf))).toEqual(['copy_failed', 'copy_failed', 'copy_failed'])
    t.front.pass()
    expect((await read(t.network, copy)).equals(bytes)).toBe(true)
  })

  it('reports nothing about copies and fails no proof when a proxy returns a page instead', async () => {
    const t = setup()
    const blobs = [randomBytes(100), randomBytes(2 * MIB)]
    const copies = await Promise.all(blobs.map((bytes) => store(t.network, bytes)))
    t.failBy(200, null, ofAll)
    for (const [index, bytes] of blobs.entries()) {
      const proof = t.network.prove(copies[index] as CopyName, factsOf(bytes), signal)
      await expect(proof).rejects.toMatchObject({ code: 'unreachable', fault: 'unreadable' })
    }
  })

  it('counts nothing as stored or removed because of such a page', async () => {
    const t = setup()
    const copy = await store(t.network, randomBytes(100))
    t.front.answerBy(({ method }, response) => {
      const isWrite = method === 'PUT' || method === 'DELETE'
      if (isWrite) response.writeHead(200, { 'content-type': 'text/html' }).end('<html>We will be back soon</html>')
      return isWrite
    })
    expect(await codeOf(t.network.remove(copy, signal))).toBe('unreachable')
    expect(await codeOf(store(t.network, randomBytes(100)))).toBe('unreachable')
    const bytes = randomBytes(9 * MIB)
    expect(await codeOf(store(t.network, bytes))).toBe('unreachable')
    // Nor does such a page prove that an upload with existing parts was completed.
    t.failBy(200, null, ({ method, url = '' }) => method === 'POST' && url.includes('uploadId='))
    expect(await codeOf(store(t.network, bytes))).toBe('unreachable')
    t.front.pass()
    expect(await t.network.prove(await store(t.network, bytes), factsOf(bytes), signal)).toMatchObject({ ok: true })
  })

  it.each([
    ['is not a list', '<html>A proxy</html>'],
    ['is an error', '<Error><Code>InternalError</Code></Error>'],
    ['is cut off', '<ListBucketResult><IsTruncated>false</IsTruncated>'],
    ['is truncated without a token', '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>'],
    [
      'repeats the same page',
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>1</NextContinuationToken></ListBucketResult>',
    ],
  ])('never appears empty when its list %s', async (_, body) => {
    const t = setup()
    const copy = await store(t.network, randomBytes(100))
    t.front.answerBy(({ url = '' }, response) => {
      if (!url.includes('list-type')) return false
      response.writeHead(200, { 'content-length': body.length }).end(body)
      return true
    })
    const listing = t.network.references(signal)[Symbol.asyncIterator]()
    expect(await codeOf(listing.next())).toBe('unreachable')
    expect(await codeOf(t.network.open({ blobId: copy.blobId }, { signal }))).toBe('unreachable')
  })

  it('leaves no upload behind when a part fails, and stores the blob at the next attempt', async () => {
    const t = setup()
    const bytes = randomBytes(9 * MIB)
    let aborted = 0
    t.front.answerBy(({ url = '', method }, response) => {
      if (method === 'DELETE') aborted += 1
      if (!url.includes('partNumber=2')) return false
      refuse(response, 400, 'BadDigest')
      return true
    })
    expect(await codeOf(store(t.network, bytes))).toBe('copy_failed')
    expect(aborted).toBe(1)
    t.front.pass()
    const copy = await store(t.network, bytes)
    expect(await t.network.prove(copy, factsOf(bytes), signal)).toEqual({ ok: true, expiresAt: null })
  })
})

describe('s3: an archived copy', () => {
  it('is restored on request, also repeatedly, and reports how long that takes', async () => {
    const t = setup()
    const bytes = randomBytes(MIB + 1)
    const copy = await store(t.network, bytes)
    const restores: string[] = []
    let answer = 202
    t.front.answerBy((request, response) => {
      const isRestore = request.method === 'POST' && /[?&]restore/.test(request.url ?? '')
      if (isRestore) {
        request.on('data', (chunk) => restores.push(String(chunk)))
        if (answer === 202) response.writeHead(202, { 'content-length': 0 }).end()
        else refuse(response, answer, 'RestoreAlreadyInProgress')
        return true
      }
      if (request.method !== 'GET' || !request.url?.includes('/content/')) return false
      refuse(response, 403, 'InvalidObjectState')
      return true
    })
    const restoring = { code: 'restoring', retryable: true, retryAfterSeconds: 5 * 3600 }
    await expect(t.network.open(copy, { signal })).rejects.toMatchObject(restoring)
    answer = 409
    await expect(t.network.prove(copy, factsOf(bytes), signal)).rejects.toMatchObject(restoring)
    expect(restores).toHaveLength(2)
    expect(restores[0]).toContain('<Days>1</Days><GlacierJobParameters><Tier>Standard</Tier>')
    // The copy exists nevertheless.
    expect(await t.network.stat(copy, signal)).toMatchObject({ state: 'present' })
    const deep = t.open({
      storageClass: 'DEEP_ARCHIVE',
      restore: { tier: 'bulk', days: 5 },
    })
    await expect(deep.open(copy, { signal })).rejects.toMatchObject({ retryAfterSeconds: 48 * 3600 })
    t.front.pass()
    expect((await read(t.network, copy)).equals(bytes)).toBe(true)
  })

  it('is stored in the configured class, but its tree in the default class', async () => {
    const t = setup()
    const classes: [key: string, storageClass: unknown][] = []
    t.front.answerBy(({ method, url = '', headers }) => {
      const isBegun = method === 'PUT' && !url.includes('partNumber')
      if (isBegun || url.includes('uploads')) classes.push([url.split('?')[0] ?? '', headers['x-amz-storage-class']])
      return false
    })
    const network = t.open({ storageClass: 'GLACIER_IR' })
    const [small, large] = [await store(network, randomBytes(10)), await store(network, randomBytes(9 * MIB))]
    const path = (key: string) => `/${t.config.bucket}/${key}`
    expect(Object.fromEntries(classes)).toEqual({
      [path(`${small.blobId}/${small.reference}`)]: 'GLACIER_IR',
      [path(`content/${large.reference}`)]: 'GLACIER_IR',
      [path(`${large.blobId}/${large.reference}.dag`)]: undefined,
    })
  })
})

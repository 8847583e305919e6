import { AsyncResource } from 'node:async_hooks'
import { hash } from 'node:crypto'
import dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { openPool } from '@tideport/http-client/pool'
import type { buildConnector, Dispatcher, Pool } from 'undici'
import { type Answer, elementsOf, malformed, readError, S3Error } from './response.ts'
import { type BucketLocation, bucketAddress, type Credentials, createSigner } from './signature.ts'

export interface S3ClientOptions extends BucketLocation {
  /** Called for each request. */
  credentials: () => Promise<Credentials>
  /** Maximum connections. Further requests wait. */
  connections: number
  /** 2: repeats a request that broke off, timed out, or got 5xx or 429. */
  attempts: 1 | 2
  connectTimeoutMs: number
  /** Opens connections, with its own limits. */
  connect?: buildConnector.connector | undefined
  /** Per attempt, until the response begins; 0: no limit. */
  answerTimeoutMs: number
  /** Longest pause between two pieces of a response. The time of a slow reader does not count. */
  silenceTimeoutMs: number
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Unset: a request to the bucket itself. */
  key?: string | undefined
  query?: Record<string, string>
  /** By lower-case names. */
  headers?: Record<string, string>
  body?: string | Bytes | BytesOnce
}

/** A body in pieces with its SHA-256 (hex) and length. */
export interface Bytes {
  pieces: readonly Uint8Array[]
  sizeBytes: number
  sha256: string
}

/** A body that is sent while it is read, so only one attempt is possible. Its hash is not signed. */
export interface BytesOnce {
  stream: AsyncIterable<Uint8Array>
  sizeBytes: number
}

/** Read or destroy its body. */
export interface OpenAnswer extends Pick<Answer, 'status' | 'headers'> {
  body: Readable
}

/**
 * Signed requests to one bucket over its own connections (ADR 0035). Follows no redirect. Rejects with `S3Error`
 * for each failure status, `AbortError` after `signal`, or the error of the connection.
 */
export interface S3Client extends Disposable {
  /** Bodies up to 4 MiB. */
  ask(request: S3Request, signal?: AbortSignal): Promise<Answer>
  /** For as long as its reader takes, unless the store stops sending or `signal` aborts. */
  open(request: S3Request, signal?: AbortSignal): Promise<OpenAnswer>
}

const ANSWER_MAX_BYTES = 4 * 1024 ** 2
const ERROR_MAX_BYTES = 64 * 1024
/** Time limit for the body of an error response. */
const ERROR_MAX_MS = 2_000
const RETRY_MAX_MS = 100
/** Stores refuse signatures whose time differs more from theirs. */
const SKEW_MAX_MS = 300_000
const NOTHING = hash('sha256', '')

/** Does not contact the store yet. */
export function createS3Client(options: S3ClientOptions): S3Client {
  const { origin, host, pathOf } = bucketAddress(options)
  const signer = createSigner(options.region)
  const pool = openPool(origin, {
    connections: options.connections,
    connect: options.connect ?? { timeout: options.connectTimeoutMs, lookup },
    headersTimeout: options.answerTimeoutMs,
    bodyTimeout: options.silenceTimeoutMs,
  })
  let clockOffsetMs = 0

  async function signed({ method, key, query = {}, headers = {}, body }: S3Request) {
    const credentials = await options.credentials()
    const at = new Date(Date.now() + clockOffsetMs)
    const signable = { method, path: pathOf(key), query, headers: { host, ...lengthOf(body), ...headers } }
    const { path, headers: all } = signer.sign(signable, credentials, at, sha256Of(body))
    // Otherwise undici closes the connection after each HEAD.
    return { method, path, headers: all, body: toSent(body), reset: false } satisfies Dispatcher.DispatchOptions
  }

  async function twice<T>(attempt: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      return await attempt()
    } catch (error) {
      if (options.attempts === 1 || signal?.aborted || !isTransient(error)) throw error
      await delay(RETRY_MAX_MS * Math.random(), undefined, { signal }).catch(() => {
        throw abortError(signal)
      })
      return await attempt()
    }
  }

  function refuse(method: string, { status, headers, body }: Answer): never {
    const error = readError(method, status, body)
    if (status === 403 && adjustClock(headers.date)) throw new S3Error('RequestTimeTooSkewed', error.message, 503)
    throw error
  }

  /** Whether the store's clock differs from the assumed offset. Corrects the offset. */
  function adjustClock(date: string | string[] | undefined): boolean {
    const offsetMs = Date.parse(String(date)) - Date.now()
    if (!(Math.abs(offsetMs - clockOffsetMs) > SKEW_MAX_MS)) return false
    clockOffsetMs = offsetMs
    return true
  }

  return {
    ask: (request, signal) =>
      twice(async () => {
        const answer = await exchange(pool, await signed(request), { maxBytes: ANSWER_MAX_BYTES, signal })
        const { status, body } = answer
        if (status < 200 || status > 299) refuse(request.method, answer)
        // A completion may fail after the status 200 was sent.
        if (request.method === 'POST' && isError(body)) refuse(request.method, { ...answer, status: 503 })
        // Another responder, such as a proxy, may also send 200, but with a page.
        if (isAnsweredBare(request) && body.trim() !== '') throw malformed('has an unexpected body')
        return answer
      }, signal),

    open: (request, signal) =>
      twice(async () => {
        const { statusCode, headers, body } = await pool.request({ ...(await signed(request)), signal: signal ?? null })
        if (statusCode >= 200 && statusCode <= 299) return { status: statusCode, headers, body }
        refuse(request.method, { status: statusCode, headers, body: await readErrorText(body) })
      }, signal).catch((error: unknown) => {
        throw signal?.aborted ? abortError(signal) : error
      }),

    [Symbol.dispose]: () => void pool.destroy().catch(() => undefined),
  }
}

function sha256Of(body: S3Request['body']): string {
  if (body === undefined) return NOTHING
  if (typeof body === 'object' && 'stream' in body) return 'UNSIGNED-PAYLOAD'
  return typeof body === 'string' ? hash('sha256', body) : body.sha256
}

/** undici cannot compute the length of a body in pieces or of a stream. */
function lengthOf(body: S3Request['body']): { 'content-length'?: string } {
  return typeof body === 'object' ? { 'content-length': String(body.sizeBytes) } : {}
}

/** Copies are the only PUTs with a body in their response. */
function isAnsweredBare({ method, headers = {} }: S3Request): boolean {
  return method === 'DELETE' || (method === 'PUT' && headers['x-amz-copy-source'] === undefined)
}

/** A body in pieces can be sent again. */
function toSent(body: S3Request['body']): string | Uint8Array | Readable | null {
  if (typeof body !== 'object') return body ?? null
  if ('stream' in body) return body.stream as Readable
  const [first] = body.pieces
  if (body.pieces.length > 1) return body.pieces as unknown as Readable
  return first ?? Buffer.alloc(0)
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof S3Error)) return true
  return (error.status >= 500 && error.status !== 501) || error.status === 429 || error.name === 'RequestTimeout'
}

const isError = (body: string) => !elementsOf(body, 'Error').next().done

/** Throws if the body is not complete in time. */
async function readErrorText(body: Readable): Promise<string> {
  const timer = setTimeout(() => body.destroy(malformed('did not end in time')), ERROR_MAX_MS)
  try {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    for await (const chunk of body) {
      chunks.push(chunk as Buffer)
      sizeBytes += (chunk as Buffer).length
      if (sizeBytes >= ERROR_MAX_BYTES) break
    }
    return Buffer.concat(chunks).toString()
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Reads a response of up to `maxBytes`. Uses undici's `dispatch`, because the stream of `request` doubles the cost.
 * Rejects with `AbortError` after `signal`.
 */
export function exchange(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal | undefined },
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  if (signal?.aborted) {
    reject(abortError(signal))
    return promise
  }
  const chunks: Buffer[] = []
  let status = 0
  let headers: Answer['headers'] = {}
  let sizeBytes = 0
  let started: Dispatcher.DispatchController | undefined
  const give = (error: Error) => {
    reject(error)
    started?.abort(error)
  }
  const abort = () => give(abortError(signal))
  signal?.addEventListener('abort', abort, { once: true })

  pool.dispatch(request, {
    onRequestStart(controller) {
      started = controller
      if (signal?.aborted) abort()
    },
    onResponseStart(_controller, statusCode, received) {
      status = statusCode
      headers = received
    },
    onResponseData(_controller, chunk) {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) give(malformed('is too long'))
      else chunks.push(chunk)
    },
    onResponseEnd: () =>
      resolve({ status, headers, body: chunks.length === 0 ? '' : Buffer.concat(chunks).toString() }),
    onResponseError: (_controller, error) => reject(error),
  })
  return promise.finally(() => signal?.removeEventListener('abort', abort))
}

export function abortError(signal: AbortSignal | undefined): Error {
  return Object.assign(new Error('The request was aborted', { cause: signal?.reason }), { name: 'AbortError' })
}

type Done = Parameters<LookupFunction>[2]

/** The callers that wait for a lookup, by name and options. */
const waiting = new Map<string, Map<string, Done[]>>()

/**
 * The system's lookup blocks a thread while no name server responds, and few exist. So concurrent lookups of a name
 * share one.
 */
export const lookup: LookupFunction = (hostname, options, done) => {
  const questions = waiting.get(hostname) ?? new Map<string, Done[]>()
  const question = JSON.stringify(options)
  const callers = questions.get(question)
  const own = AsyncResource.bind(done)
  if (callers) return void callers.push(own)
  const all = [own]
  waiting.set(hostname, questions.set(question, all))
  dns.lookup(hostname, options, (...answer) => {
    questions.delete(question)
    if (questions.size === 0) waiting.delete(hostname)
    for (const caller of all) caller(...(answer as Parameters<Done>))
  })
}

export const isWaitingFor = (hostname: string): boolean => waiting.has(hostname)

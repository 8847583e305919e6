import { ApiError } from '../errors/api-error.ts'
import { readError } from '../errors/read-error.ts'
import { NetworkError, ProtocolError } from '../errors/transfer-errors.ts'
import type { Client, Identity } from './create-client.ts'
import { explainSilence } from './explain-silence.ts'
import { orAbort } from './or-abort.ts'
import { backoffMs, pause } from './pause.ts'
import { readText } from './read-text.ts'

export interface CallOptions {
  /** Aborts the call, including its wait for a retry. */
  signal?: AbortSignal | undefined
  /** Per request; overrides the client's. */
  timeoutMs?: number | undefined
  /** Default: a random key where the endpoint accepts one. Pass a stored key to repeat a call safely after a crash. */
  idempotencyKey?: string | undefined
  /** ETags of the current file, or `*`; otherwise a `PreconditionFailedError` with the current one in `details.etag`. */
  ifMatch?: string | undefined
  /** `*`: only if no file has the path. */
  ifNoneMatch?: string | undefined
  headers?: Record<string, string> | undefined
}

export interface Sent {
  /** Such as `GET /api/files/:fileId`. Path values may be secret, so they are omitted. */
  endpoint: string
  method: string
  /** Path with query. */
  path: string
  headers: Record<string, string>
  body?: NonNullable<RequestInit['body']> | null
  /** Sends no credentials. */
  isPublic?: boolean
  /** Safe to send twice. */
  repeatable?: boolean
  /** The caller reads the bytes of the response. */
  isBytes?: boolean
}

/** Sends a request and retries it as the client and the request allow. Returns the JSON of the response. */
export async function sendForJson<A>(client: Client, sent: Sent, options: CallOptions): Promise<A> {
  const answer = await persist(client, sent, options, (signal) => attempt(client, sent, signal, readJson))
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new ProtocolError(`The response to ${sent.endpoint} is not a JSON object`)
  client.checkAnswer?.(sent.endpoint, answer)
  return answer as A
}

/** Returns the response with its unread bytes; 304 is a valid response. */
export async function sendForBytes(client: Client, sent: Sent, options: CallOptions): Promise<Response> {
  return await persist(client, sent, options, (signal) => attempt(client, sent, signal, async (response) => response))
}

/** The message of JSON.parse quotes the text, which may contain a secret. */
async function readJson(response: Response, endpoint: string): Promise<unknown> {
  const text = await readText(response)
  try {
    return JSON.parse(text)
  } catch {
    throw readError(response, '', endpoint)
  }
}

async function persist<T>(
  client: Client,
  sent: Sent,
  { signal, timeoutMs = client.timeoutMs }: CallOptions,
  once: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    signal?.throwIfAborted()
    try {
      return await withDeadline(timeoutMs, signal, once)
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (tried >= client.attempts || !mayRepeat(error, sent.repeatable === true))
        throw error instanceof NetworkError ? await explainSilence(client.baseUrl, 'service', error) : error
      const wait = backoffMs(tried, error instanceof ApiError ? error.retryAfterSeconds : null)
      if (wait > client.maxWaitMs) throw error
      await pause(wait, signal)
    }
  }
}

type Read<T> = (response: Response, endpoint: string) => Promise<T>

/**
 * Sends one request, or two if the service rejects the credentials and others are available; a rejected request changed
 * nothing. Throws an `ApiError` for an error response, and a `NetworkError` without a response.
 */
async function attempt<T>(client: Client, sent: Sent, signal: AbortSignal, read: Read<T>): Promise<T> {
  const identity: Identity = sent.isPublic ? {} : await client.credentials(signal)
  try {
    return await sendAs(client, sent, identity, signal, read)
  } catch (error) {
    if (sent.isPublic || !(error instanceof ApiError && error.code === 'unauthenticated')) throw error
    const other = await client.credentials(signal, identity)
    if (other.authorization === identity.authorization) throw error
    return await sendAs(client, sent, other, signal, read)
  }
}

async function sendAs<T>(
  client: Client,
  { endpoint, method, path, headers, body = null, isBytes = false }: Sent,
  identity: Identity,
  signal: AbortSignal,
  read: Read<T>,
): Promise<T> {
  try {
    const response = await client.fetch(client.baseUrl + path, {
      method,
      headers: { ...headers, ...identity },
      body,
      signal,
      // Only bytes may be redirected. A followed redirect would turn a POST into a GET.
      redirect: isBytes ? 'follow' : 'manual',
    })
    if (response.ok || (isBytes && response.status === 304)) return await read(response, endpoint)
    throw readError(response, await readText(response), endpoint)
  } catch (error) {
    if (error instanceof ApiError || error instanceof ProtocolError) throw error
    if (signal.aborted) throw signal.reason
    throw new NetworkError('The service did not respond', { cause: error })
  }
}

/**
 * Whether a request may be repeated. After 429 the service did nothing, so every request may. Any other request may
 * have taken effect, even if its response is an error or lost.
 */
function mayRepeat(error: unknown, repeatable: boolean): boolean {
  if (error instanceof ApiError && error.status === 429) {
    return error.code === 'rate_limited' || error.retryAfterSeconds !== null
  }
  if (!repeatable) return false
  if (error instanceof ApiError) return error.status >= 500 || error.status === 408
  return error instanceof NetworkError || (error instanceof DOMException && error.name === 'TimeoutError')
}

/** The deadline applies until `work` settles; the caller's signal, as long as the result is used. */
async function withDeadline<T>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const late = () => deadline.abort(new DOMException(`No response within ${timeoutMs} ms`, 'TimeoutError'))
  const timer = setTimeout(late, timeoutMs)
  try {
    const either = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal
    return await orAbort(work(either), either)
  } finally {
    clearTimeout(timer)
  }
}

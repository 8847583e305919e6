import { ApiError } from '../errors/api-error.ts'
import { readError } from '../errors/read-error.ts'
import { NetworkError, ProtocolError } from '../errors/transfer-errors.ts'
import type { Client, Identity } from './create-client.ts'
import { explainSilence } from './explain-silence.ts'
import { orAbort } from './or-abort.ts'
import { backoffMs, pause } from './pause.ts'
import { readText } from './read-text.ts'

export interface CallOptions {
  /** Ends the call, also while it waits to try again. */
  signal?: AbortSignal | undefined
  /** Of each request; in place of the client's. */
  timeoutMs?: number | undefined
  /** Made by itself where the endpoint takes one. Give your own to repeat a call safely after a crash. */
  idempotencyKey?: string | undefined
  /** Further request headers. */
  headers?: Record<string, string> | undefined
}

export interface Sent {
  /** As people know it, e.g. `GET /api/files/:fileId`: without what the path holds, which may be secret. */
  endpoint: string
  method: string
  /** From the root, with its query. */
  path: string
  headers: Record<string, string>
  body?: NonNullable<RequestInit['body']> | null
  /** Nobody's credentials are looked at, so none are sent. */
  isPublic?: boolean
  /** Nothing more happens when it is sent twice. */
  repeatable?: boolean
  /** The answer is bytes, which are the caller's to read. */
  isBytes?: boolean
}

/** Sends a request until it is answered, as often as the client and the kind of request allow; the answer's JSON. */
export async function sendForJson<A>(client: Client, sent: Sent, options: CallOptions): Promise<A> {
  const answer = await persist(client, sent, options, (signal) => attempt(client, sent, signal, readJson))
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    throw new ProtocolError(`The response to ${sent.endpoint} is not a JSON object`)
  client.checkAnswer?.(sent.endpoint, answer)
  return answer as A
}

/** The same, where the answer is bytes; 304 is an answer like any other. */
export async function sendForBytes(client: Client, sent: Sent, options: CallOptions): Promise<Response> {
  return await persist(client, sent, options, (signal) => attempt(client, sent, signal, async (response) => response))
}

/** What JSON.parse says quotes the text, which may hold a secret. */
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
 * One request, or two where who is calling was not believed and can say it in another way: then nothing was done. Throws an
 * `ApiError` for what is refused, and a `NetworkError` where nothing answered.
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
      // Only bytes may be elsewhere. Followed, a redirected POST would become a GET.
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
 * Too many requests: it was not looked at, so anything may be sent again. All else may have been done although the
 * answer says, or does not come to say, otherwise.
 */
function mayRepeat(error: unknown, repeatable: boolean): boolean {
  if (error instanceof ApiError && error.status === 429) {
    return error.code === 'rate_limited' || error.retryAfterSeconds !== null
  }
  if (!repeatable) return false
  if (error instanceof ApiError) return error.status >= 500 || error.status === 408
  return error instanceof NetworkError || (error instanceof DOMException && error.name === 'TimeoutError')
}

/** The deadline holds until `work` is done, the caller's signal for as long as anybody listens to it. */
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

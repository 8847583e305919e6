import type { Endpoint } from '../endpoint/endpoint.ts'
import type { CallAnswer, CallInput, SentBytes } from '../endpoint/two-sides.ts'
import { api, type OperationId } from '../public/api.ts'
import { toApiError } from './api-error.ts'
import { type Credentials, credentialHeaders } from './credentials.ts'
import { readAnswer } from './read-answer.ts'
import { requestOf } from './request-of.ts'

export interface ClientOptions {
  /** Where the API is, e.g. `https://files.example.com`; may have a path. */
  baseUrl: string
  credentials: Credentials
  /** The platform's own unless given. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** For every call that sets none of its own; without it there is no deadline. */
  timeoutMs?: number
}

export interface CallOptions {
  signal?: AbortSignal
  /** Until the answer was read; where it is bytes, until they begin. */
  timeoutMs?: number
}

type Call<E extends Endpoint> =
  Partial<CallInput<E>> extends CallInput<E>
    ? (input?: CallInput<E>, options?: CallOptions) => Promise<CallAnswer<E>>
    : (input: CallInput<E>, options?: CallOptions) => Promise<CallAnswer<E>>

/** A function for each endpoint of the public API. */
export type Client = { [Id in OperationId]: Call<(typeof api)[Id]> }

/**
 * A client of the public API. Each call is one request: it is never repeated, and nothing is remembered between calls.
 * A call rejects with an `ApiError` for what the service refuses, with the signal's reason, with a `TimeoutError`
 * (DOMException), or with what `fetch` says of the network. Endpoints that answer bytes give the `Response`, 304
 * included.
 */
export function createClient(options: ClientOptions): Client {
  const calls = Object.entries<Endpoint>(api).map(([id, endpoint]) => [
    id,
    (input: CallInput<Endpoint> = {}, callOptions: CallOptions = {}) =>
      withDeadline(callOptions.timeoutMs ?? options.timeoutMs, callOptions.signal, (signal) =>
        call(options, endpoint, input, signal),
      ),
  ])
  return Object.fromEntries(calls) as Client
}

async function call(options: ClientOptions, endpoint: Endpoint, input: CallInput<Endpoint>, signal: AbortSignal) {
  const { fetch: send = globalThis.fetch, baseUrl, credentials } = options
  const { success } = endpoint
  const isBytes = !('schema' in success)
  const { method, path, headers, body: json } = requestOf(endpoint, input)
  const body = endpoint.takesBytes ? ((input as { body: SentBytes }).body ?? null) : json
  // Public endpoints look at nobody's credentials, so they get none.
  const identity = endpoint.access === 'public' ? {} : await credentialHeaders(credentials, signal)
  signal.throwIfAborted()
  const response = await send(baseUrl.replace(/\/+$/, '') + path, {
    method,
    headers: { ...headers, ...identity },
    body,
    // `fetch` wants to be told of a stream that it is sent before its answer is read; of other bodies it may be.
    ...(endpoint.takesBytes && { duplex: 'half' }),
    signal,
    // Only bytes may be elsewhere. Followed, a redirected POST would become a GET.
    redirect: isBytes ? 'follow' : 'manual',
  })
  if (isBytes && (response.ok || response.status === 304)) return response
  const text = await response.text()
  if (!response.ok || isBytes) throw toApiError(response, text)
  return readAnswer(success.schema, response, text)
}

/** The deadline holds until `work` is done, the caller's signal for as long as anybody listens to it. */
async function withDeadline<T>(
  timeoutMs: number | undefined,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController()
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => deadline.abort(new DOMException(`No answer in ${timeoutMs} ms`, 'TimeoutError')), timeoutMs)
  try {
    return await work(signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal)
  } finally {
    clearTimeout(timer)
  }
}

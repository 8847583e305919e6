import type { AddressGuard } from '@tideport/service-kit/outgoing/address-guard'
import {
  classifyFailure,
  describeFailure,
  describeStatus,
  type Failure,
} from '@tideport/service-kit/outgoing/describe-failure'
import { lookingUpFor, type NameOutcome } from '@tideport/service-kit/outgoing/dns-resolver'
import { createGuardedConnector, type Resolve } from '@tideport/service-kit/outgoing/guarded-connector'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { Agent, type Dispatcher, request as sendRequest } from 'undici'

const CONNECT_TIMEOUT_MS = 5000
const KEEP_ALIVE_MS = 10_000
const MAX_READ_BYTES = 64 * 1024
const KEPT_BYTES = 4 * 1024

export interface OutgoingRequest {
  accountId: string
  url: string
  headers: Record<string, string>
  body: string
}

/** The outcome of one attempt. `error` is null exactly after success: a 2xx response, read completely and in time. */
export interface Answer {
  /** 0 without a response. */
  statusCode: number
  error: string | null
  failure: Failure | null
  durationMs: number
  retryAfter: string | null
  /** The first 4 KiB of the response body. Null without a response. */
  responseBody: string | null
}

interface OutgoingOptions {
  timeoutMs: number
  /** Checks every address before and after connecting to it. */
  allows: AddressGuard
  resolve: Resolve
}

/** The only way to send to URLs that customers chose. All such requests use its one connector. */
export interface Outgoing extends AsyncDisposable {
  /** Never throws because of the receiver. Throws `signal.reason` when `signal` aborts. */
  post(request: OutgoingRequest, signal?: AbortSignal): Promise<Answer>
}

/** `timeoutMs` covers everything up to the last byte. No redirects, compression, or proxies from the environment. */
export function createOutgoing({ timeoutMs, allows, resolve }: OutgoingOptions): Outgoing {
  const agent = new Agent({
    connect: createGuardedConnector({ allows, resolve, timeoutMs: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) }),
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
  return {
    post: (request, signal) => post(agent, timeoutMs, request, signal),
    [Symbol.asyncDispose]: () => agent.destroy(),
  }
}

async function post(
  dispatcher: Dispatcher,
  timeoutMs: number,
  { accountId, url, headers, body }: OutgoingRequest,
  stop?: AbortSignal,
): Promise<Answer> {
  const startedAt = performance.now()
  const deadline = new AbortController()
  const end = () => deadline.abort()
  const timer = setTimeout(end, timeoutMs)
  stop?.addEventListener('abort', end, { once: true })
  const seen: Omit<Answer, 'error' | 'failure' | 'durationMs'> = { statusCode: 0, retryAfter: null, responseBody: null }
  let error: string | null
  let failure: Failure | null
  try {
    stop?.throwIfAborted()
    const options = { method: 'POST', dispatcher, headers, body, signal: deadline.signal } as const
    const answer = await lookingUpFor.run(accountId, () => sendRequest(url, options))
    seen.statusCode = answer.statusCode
    seen.retryAfter = firstValue(answer.headers['retry-after'])
    const isComplete = await readStart(answer.body, (text) => {
      seen.responseBody = text
    })
    error = describeStatus(answer.statusCode) ?? (isComplete ? null : 'The response was larger than 64 KiB')
    failure = error === null ? null : 'other'
  } catch (thrown) {
    stop?.throwIfAborted()
    const isLate = deadline.signal.aborted
    error = isLate ? `No complete response within ${timeoutMs / 1000} s` : describeFailure(thrown)
    failure = isLate ? 'timed_out' : classifyFailure(thrown)
  } finally {
    clearTimeout(timer)
    stop?.removeEventListener('abort', end)
  }
  return { ...seen, error, failure, durationMs: Math.round(performance.now() - startedAt) }
}

function firstValue(header: string | string[] | undefined): string | null {
  return (Array.isArray(header) ? header[0] : header) ?? null
}

/**
 * Reads up to 64 KiB and passes on the first 4 KiB. Returns false if the body is longer; the connection then closes.
 */
async function readStart(body: AsyncIterable<Buffer>, keep: (text: string) => void): Promise<boolean> {
  let kept = Buffer.alloc(0)
  let readBytes = 0
  keep('')
  for await (const chunk of body) {
    readBytes += chunk.length
    if (kept.length < KEPT_BYTES) {
      kept = Buffer.concat([kept, chunk.subarray(0, KEPT_BYTES - kept.length)])
      keep(toText(kept))
    }
    if (readBytes > MAX_READ_BYTES) return false
  }
  return true
}

/** Makes text that Postgres can store: no NUL, and no partial character at the end. */
function toText(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')
}

export function createLookUpMetric(metrics: Metrics): (outcome: NameOutcome) => void {
  const lookUps = metrics.counter({
    name: 'tideport_webhook_name_lookups_total',
    help: 'DNS lookups for webhook targets by outcome: found; none, silent, failed (fault of the name); resolver_down, busy (fault of this service)',
    labelNames: ['outcome'],
  })
  const outcomes: NameOutcome[] = ['found', 'none', 'silent', 'failed', 'resolver_down', 'busy']
  for (const outcome of outcomes) lookUps.labels(outcome).inc(0)
  return (outcome) => lookUps.labels(outcome).inc()
}

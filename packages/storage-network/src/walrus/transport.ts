import type { ClientRequest, IncomingMessage } from 'node:http'
import { lookup } from '@tideport/s3-client/s3-client'
import { answerTo, http, https } from '../node-http.ts'
import { silenceError } from './failure.ts'

const ANSWER_BYTES_MAX = 1024 * 1024

export interface Call {
  method: 'GET' | 'PUT'
  /** Below the address, as `v1/blobs`. */
  path: string
  query?: Record<string, string>
  headers?: Record<string, string>
}

export interface Endpoint {
  begin(call: Call, signal: AbortSignal): ClientRequest
}

/** Nothing is contacted yet. `keepAlive`: a connection may be used again, and may then turn out to be dead. */
export function openEndpoint(url: string, { keepAlive }: { keepAlive: boolean }): Endpoint {
  const base = new URL(url.endsWith('/') ? url : `${url}/`)
  const { Agent, request } = base.protocol === 'https:' ? https : http
  const agent = new Agent({ keepAlive, maxSockets: 128, lookup })
  return {
    begin({ method, path, query = {}, headers = {} }, signal) {
      const target = new URL(path, base)
      for (const [name, value] of Object.entries(query)) target.searchParams.append(name, value)
      return request(target, { method, agent, signal, headers })
    },
  }
}

/** A deadline that can be put off; who waits is told with `silenceError`. */
export interface Deadline extends Disposable {
  signal: AbortSignal
  readonly isLate: boolean
  within(ms: number): void
}

export function deadlineOf(signal: AbortSignal): Deadline {
  const late = new AbortController()
  let timer: NodeJS.Timeout | undefined
  return {
    signal: AbortSignal.any([signal, late.signal]),
    get isLate() {
      return late.signal.aborted
    },
    within(ms) {
      clearTimeout(timer)
      timer = setTimeout(() => late.abort(), ms)
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

/** The head of an answer to a request without a body. @throws EndpointError */
export async function ask(
  endpoint: Endpoint,
  call: Call,
  { what, signal, deadlineMs }: { what: string; signal: AbortSignal; deadlineMs: number },
): Promise<IncomingMessage> {
  signal.throwIfAborted()
  using deadline = deadlineOf(signal)
  deadline.within(deadlineMs)
  try {
    const answer = await answerTo(() => endpoint.begin(call, deadline.signal))
    // Without a listener, a body that fails before it is read would crash the process; its reader gets the error.
    answer.on('error', () => undefined)
    return answer
  } catch (error) {
    signal.throwIfAborted()
    throw silenceError(what, error, deadline)
  }
}

/** All of a short answer. @throws Error when it breaks off, or is too long for one */
export async function wholeOf(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > ANSWER_BYTES_MAX) throw new Error('the response is too long')
    chunks.push(chunk)
  }
  if (!answer.complete) throw new Error('the response was cut off')
  return Buffer.concat(chunks)
}

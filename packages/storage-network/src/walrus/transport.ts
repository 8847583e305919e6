import type { ClientRequest, IncomingMessage } from 'node:http'
import { lookup } from '@tideport/s3-client/s3-client'
import { answerTo, http, https } from '../node-http.ts'
import { silenceError } from './failure.ts'

const ANSWER_BYTES_MAX = 1024 * 1024

export interface Call {
  method: 'GET' | 'PUT'
  /** Path below the address, such as `v1/blobs`. */
  path: string
  query?: Record<string, string>
  headers?: Record<string, string>
}

export interface Endpoint {
  begin(call: Call, signal: AbortSignal): ClientRequest
}

/** Opens no connection yet. `keepAlive`: connections are reused, and a reused one can be dead. */
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

/** A deadline that can be extended. After it, waiting calls fail with `silenceError`. */
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

/** The head of a response to a request without a body. @throws EndpointError */
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

/** A complete short response. @throws Error if it is cut off or too long */
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

import { randomUUID } from 'node:crypto'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { lookup } from '@tideport/s3-client/s3-client'
import { answerOf, answerTo, http, https, write } from '../node-http.ts'
import { wholeOf } from './answer.ts'
import { failureOf } from './failure.ts'

export interface RpcAddress {
  /** Up to `/api/v0`, which is added. */
  url: string
  /** Sent as `Authorization: Bearer …`, as configured in `API.Authorizations` of the node. */
  token?: string | undefined
}

export interface Call {
  command: string
  args?: string[]
  parameters?: Record<string, string | number | boolean>
}

/** Calls with deadlines. They throw `NetworkError` (`failureOf`), also for an error in a trailer. */
export interface Rpc {
  /** The complete response of up to 64 MiB, within `deadlineMs`. Retries once if a reused connection was dead. */
  ask(call: Call, signal: AbortSignal, deadlineMs?: number): Promise<Buffer>
  /** The response must begin in time. After reading the body, callers check for a late error (`assertWhole`). */
  open(call: Call, signal: AbortSignal): Promise<IncomingMessage>
  /** Sends pieces as one file; fails when nothing moves for `silenceMs`. */
  send(call: Call, pieces: AsyncIterable<Buffer>, signal: AbortSignal, silenceMs: number): Promise<Buffer>
}

const QUESTION_MS = 20_000
const limits = { keepAlive: true, maxSockets: 128, lookup }

export function openRpc({ url, token }: RpcAddress): Rpc {
  const base = new URL(url.endsWith('/') ? url : `${url}/`)
  const { Agent, request } = base.protocol === 'https:' ? https : http
  const agent = new Agent(limits)
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  function begin({ command, args = [], parameters = {} }: Call, signal: AbortSignal, headers = {}): ClientRequest {
    const target = new URL(`api/v0/${command}`, base)
    for (const arg of args) target.searchParams.append('arg', arg)
    for (const [name, value] of Object.entries(parameters)) target.searchParams.append(name, String(value))
    return request(target, { method: 'POST', agent, signal, headers: { ...authorization, ...headers } })
  }
  return {
    ask: (call, signal, deadlineMs = QUESTION_MS) =>
      inTime(signal, deadlineMs, async (either) => await wholeOf(await answerTo(() => begin(call, either)))),

    open: (call, signal) =>
      inTime(signal, QUESTION_MS, async (either) => {
        const answer = await answerTo(() => begin(call, either))
        // Without a listener, a body that fails before it is read would crash the process; its reader gets the error.
        answer.on('error', () => undefined)
        if (answer.statusCode !== 200) await wholeOf(answer)
        return answer
      }),

    send: (call, pieces, signal, silenceMs) =>
      inTime(signal, silenceMs, (either, moved) => sendFile(begin(call, either, fileHeaders), pieces, moved)),
  }
}

/** Runs a call until its deadline, which restarts whenever `moved` is called. */
async function inTime<T>(
  signal: AbortSignal,
  deadlineMs: number,
  run: (either: AbortSignal, moved: () => void) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), deadlineMs)
  try {
    return await run(AbortSignal.any([signal, late.signal]), () => void timer.refresh())
  } catch (error) {
    signal.throwIfAborted()
    throw failureOf(error, { isLate: late.signal.aborted })
  } finally {
    clearTimeout(timer)
  }
}

const boundary = `tideport-${randomUUID()}`
const HEAD = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="blob"\r\ncontent-type: application/octet-stream\r\n\r\n`
const TAIL = `\r\n--${boundary}--\r\n`

const fileHeaders = { 'content-type': `multipart/form-data; boundary=${boundary}` }

/**
 * Sends pieces as the one file of a form. Each is sent before the next but one is requested, so two buffers suffice.
 * Destroys an incomplete request, which must never look complete.
 */
async function sendFile(request: ClientRequest, pieces: AsyncIterable<Buffer>, moved: () => void): Promise<Buffer> {
  let isAnswered = false
  const answered = answerOf(request).finally(() => {
    isAnswered = true
  })
  answered.catch(() => undefined)
  try {
    let sent = write(request, Buffer.from(HEAD))
    for await (const piece of pieces) {
      await sent
      // The node can reject the request before it has read everything.
      if (isAnswered) return await wholeOf(await answered)
      sent = write(request, piece)
      moved()
    }
    await sent
    request.end(TAIL)
    moved()
    return await wholeOf(await answered)
  } finally {
    if (!request.writableEnded) request.destroy()
  }
}

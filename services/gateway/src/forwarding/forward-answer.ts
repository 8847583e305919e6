import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import type { Endpoint } from '@tideport/contracts/endpoint/endpoint'
import { costHeader } from '@tideport/contracts/internal/request-headers'
import { freeWritten } from '@tideport/service-kit/http/free-written'
import { endEarly } from '@tideport/service-kit/http/streamed-body'
import type { FastifyReply } from 'fastify'
import type { Dispatcher } from 'undici'
import type { OpenRequest } from '../identity/open-request.ts'
import { refusalIn } from '../upstream/ask-json.ts'
import type { LaneName } from '../upstream/connection-pools.ts'
import type { Backend } from '../upstream/upstream.ts'
import { responseHeaders } from './forwarded-headers.ts'
import { endsWithCredential, recheckCredential } from './recheck-credential.ts'

/**
 * Bytes buffered for a client before the upstream is paused. Responses from memory are read immediately,
 * so that a slow client does not occupy a connection to the service.
 */
const OWED_MAX_BYTES = { bytes: 0, quick: 1024 * 1024, confirm: 1024 * 1024, revoke: 1024 * 1024, wait: 1024 * 1024 }

interface Forwarding {
  lane: LaneName
  request: Dispatcher.DispatchOptions
  reply: FastifyReply
  open: OpenRequest
  endpoint: Pick<Endpoint, 'path'>
  /** Replaces the headers. A refusal then rejects with the service's error, and no response begins. */
  translate?: Translate
}

type Translate = (status: number, headers: IncomingHttpHeaders) => OutgoingHttpHeaders

/** Charged when the client disconnects before the response, which would have stated the cost. */
const ABANDONED_COST = 10

/**
 * Sends one request upstream and streams the response at the client's pace, directly to the raw response: measured at
 * less than half the cost of a proxy plugin or of undici's own streams (ADR 0035).
 *
 * Resolves when the response has been passed on. Rejects only before the response begins, for example if the process
 * becomes unresponsive; a confirm waits instead. If the upstream connection breaks inside the body, the client's
 * connection is closed too, so a truncated response never looks complete. If the client disconnects, the upstream
 * request is aborted.
 */
export async function forwardAnswer(
  { lanes, liveness, observe }: Backend,
  { lane, request, reply, open, endpoint, translate }: Forwarding,
): Promise<void> {
  const { raw } = reply
  if (raw.destroyed) throw clientGone()
  const { pool, places } = lanes[lane]
  const leave = places.take()
  const attempt = abortable()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let length = ''
  let refused: { status: number; chunks: Buffer[] } | undefined
  let receivedBytes = 0
  const startedAt = performance.now()

  const onClose = () => {
    if (!raw.headersSent) reply.request.charge(ABANDONED_COST)
    if (!raw.writableFinished) attempt.abort(clientGone())
  }
  const giveUp = (error: Error) => {
    if (raw.headersSent) return void raw.destroy()
    reject(error)
    attempt.abort(error)
  }
  raw.once('close', onClose)
  const waiting = liveness.wait(lane === 'confirm' ? undefined : giveUp)
  open.onEnd(giveUp)

  const answer: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      attempt.begin(controller)
      if (raw.destroyed) onClose()
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) return
      liveness.answered(waiting)
      observe(request.method, status, startedAt)
      const tooMany = refusalInstead(reply, status)
      if (tooMany) return giveUp(tooMany)
      if (translate !== undefined && status >= 400) {
        refused = { status, chunks: [] }
        return
      }
      length = String(headers['content-length'])
      beginAnswer(reply, status, headers, translate)
      if (!endsWithCredential(endpoint)) open.leave()
    },
    onResponseData(controller, chunk) {
      // undici emits an empty chunk whenever it resumes after a pause.
      if (chunk.length === 0) return
      if (refused !== undefined) return void refused.chunks.push(chunk)
      receivedBytes += chunk.length
      // Node writes a string together with the head, but a Buffer separately. latin1 preserves the bytes.
      if (String(chunk.length) === length) raw.end(chunk.toString('latin1'), 'latin1')
      else if (!raw.write(chunk, freeWritten(chunk)) && raw.writableLength > OWED_MAX_BYTES[lane]) {
        controller.pause()
        raw.once('drain', () => controller.resume())
      }
    },
    onResponseEnd() {
      if (refused !== undefined) return reject(refusalOf(refused))
      raw.end()
      resolve()
    },
    onResponseError(_controller, error) {
      if (!raw.headersSent && !raw.destroyed) observe(request.method, 'failed', startedAt)
      // Another process may have responded since this attempt was aborted.
      if (attempt.isAborted() || !raw.headersSent) return reject(error)
      // While paused, undici reports a close right after the last byte as a close inside the body.
      if (String(receivedBytes) === length) raw.end()
      else raw.destroy()
      resolve()
    },
  }
  pool.dispatch(request, recheckCredential(answer, open, giveUp))
  await promise.finally(() => {
    raw.off('close', onClose)
    liveness.left(waiting)
    leave()
  })
}

/** The error to send instead of a refused sign-in, after too many of them (ADR 0021). */
function refusalInstead({ request }: FastifyReply, status: number): Error | null {
  if (request.countRefusal === null || (status !== 403 && status !== 404)) return null
  try {
    request.countRefusal()
    return null
  } catch (error) {
    return error as Error
  }
}

const clientGone = () => new Error('The client closed the connection')

/** A request that can be aborted before it starts. */
function abortable() {
  let controller: Dispatcher.DispatchController | undefined
  let reason: Error | undefined
  return {
    begin(begun: Dispatcher.DispatchController) {
      controller = begun
      if (reason) begun.abort(reason)
    },
    abort(error: Error) {
      reason ??= error
      controller?.abort(reason)
    },
    isAborted: () => reason !== undefined,
  }
}

function refusalOf({ status, chunks }: { status: number; chunks: Buffer[] }): Error {
  const text = Buffer.concat(chunks).toString()
  return refusalIn({ status, answer: text === '' ? null : JSON.parse(text) })
}

function beginAnswer(reply: FastifyReply, status: number, headers: IncomingHttpHeaders, translate?: Translate): void {
  const cost = Number(headers[costHeader])
  if (cost > 0 && cost < Infinity) reply.request.charge(cost)
  if (reply.request.routeOptions.config.takesBytes && endEarly(reply.request.raw)) reply.header('connection', 'close')
  const ours = reply.getHeaders()
  const theirs = translate?.(status, headers) ?? responseHeaders(headers, ours)
  reply.raw.writeHead(status, { ...theirs, ...(ours as OutgoingHttpHeaders) })
  // Only after `writeHead`: if Node rejects the headers, the error handler must still respond.
  reply.hijack()
}

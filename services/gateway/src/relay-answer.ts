import type { OutgoingHttpHeaders } from 'node:http'
import { costHeader } from '@tideport/contracts/cost'
import type { FastifyReply } from 'fastify'
import type { Dispatcher, Pool } from 'undici'
import { responseHeaders } from './forwarded-headers.ts'

/** Nobody tells what a call has cost whose client did not wait for the answer. */
const ABANDONED_COST = 10

/**
 * Sends one request upstream and streams the answer to the client at the client's pace, straight onto the raw response:
 * measured at less than half the cost of a proxy plugin or of undici's own streams (docs/adr/0003).
 *
 * Resolves once the client has what there is. Rejects only while nothing was answered yet. When the upstream breaks
 * inside the body the client's connection breaks too, so a cut answer never looks complete; when the client goes, the
 * upstream request is aborted.
 */
export async function relayAnswer(pool: Pool, request: Dispatcher.DispatchOptions, reply: FastifyReply): Promise<void> {
  const { raw } = reply
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let upstream: Dispatcher.DispatchController | undefined
  let length = ''

  const abandon = () => {
    if (!raw.headersSent) reply.request.charge(ABANDONED_COST)
    if (!raw.writableFinished) upstream?.abort(new Error('The client has gone'))
  }
  raw.once('close', abandon)

  pool.dispatch(request, {
    onRequestStart(controller) {
      upstream = controller
      if (raw.destroyed) abandon()
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) return
      const cost = Number(headers[costHeader])
      if (cost > 0 && cost < Infinity) reply.request.charge(cost)
      const ours = reply.getHeaders()
      length = String(headers['content-length'])
      raw.writeHead(status, { ...responseHeaders(headers, ours), ...(ours as OutgoingHttpHeaders) })
      // Not before: headers that Node refuses to write must still end in an answer.
      reply.hijack()
    },
    onResponseData(controller, chunk) {
      // Node joins a text with the head into one write, a Buffer it writes apart; latin1 is the bytes as they are.
      if (String(chunk.length) === length) raw.end(chunk.toString('latin1'), 'latin1')
      else if (!raw.write(chunk)) {
        controller.pause()
        raw.once('drain', () => controller.resume())
      }
    },
    onResponseEnd() {
      raw.end()
      resolve()
    },
    onResponseError(_controller, error) {
      if (!raw.headersSent) return reject(error)
      raw.destroy()
      resolve()
    },
  })
  await promise.finally(() => raw.off('close', abandon))
}

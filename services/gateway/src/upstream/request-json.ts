import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Lane } from './connection-pools.ts'

export interface JsonAnswer {
  status: number
  headers: IncomingHttpHeaders
  answer: unknown
}

interface JsonRequest {
  /** Rejects if the response is missing or is not JSON. */
  answer: Promise<JsonAnswer>
  abandon(): void
}

/** Reads the complete response. Throws 503 when the lane is full. undici's `request` would cost twice as much. */
export function requestJson({ pool, places }: Lane, request: Dispatcher.DispatchOptions): JsonRequest {
  const leave = places.take()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const chunks: Buffer[] = []
  let status = 0
  let headers: IncomingHttpHeaders = {}
  let started: Dispatcher.DispatchController | undefined
  let isAbandoned = false
  const abandon = () => {
    isAbandoned = true
    const error = new Error('No response in time')
    reject(error)
    started?.abort(error)
  }
  pool.dispatch(request, {
    onRequestStart(controller) {
      started = controller
      if (isAbandoned) abandon()
    },
    onResponseStart(_controller, statusCode, received) {
      status = statusCode
      headers = received
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk)
    },
    onResponseEnd: () => resolve(),
    onResponseError: (_controller, error) => reject(error),
  })
  const parse = () => {
    const text = Buffer.concat(chunks).toString()
    // A response to HEAD has no body.
    return { status, headers, answer: text === '' && request.method === 'HEAD' ? null : JSON.parse(text) }
  }
  return { answer: promise.finally(leave).then(parse), abandon }
}

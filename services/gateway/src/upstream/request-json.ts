import type { Dispatcher } from 'undici'
import type { Lane } from './lane.ts'

export interface JsonAnswer {
  status: number
  answer: unknown
}

export interface JsonRequest {
  /** Rejects when there is no answer or it is not JSON. */
  answer: Promise<JsonAnswer>
  /** Ends a request that has no answer yet. */
  abandon(): void
}

/**
 * One request with a JSON answer, read whole. Throws 503 when the lane is full. On undici's `dispatch`, because the
 * stream that its `request` makes of the answer costs as much again.
 */
export function requestJson({ pool, places }: Lane, request: Dispatcher.DispatchOptions): JsonRequest {
  const leave = places.take()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const chunks: Buffer[] = []
  let status = 0
  let started: Dispatcher.DispatchController | undefined
  let isAbandoned = false
  const abandon = () => {
    isAbandoned = true
    const error = new Error('No answer in time')
    reject(error)
    started?.abort(error)
  }
  pool.dispatch(request, {
    onRequestStart(controller) {
      started = controller
      if (isAbandoned) abandon()
    },
    onResponseStart(_controller, statusCode) {
      status = statusCode
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk)
    },
    onResponseEnd: () => resolve(),
    onResponseError: (_controller, error) => reject(error),
  })
  const parse = () => ({ status, answer: JSON.parse(Buffer.concat(chunks).toString()) })
  return { answer: promise.finally(leave).then(parse), abandon }
}

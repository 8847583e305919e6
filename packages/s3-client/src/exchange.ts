import type { Dispatcher, Pool } from 'undici'
import { malformed } from './s3-error.ts'

export interface Answer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

/**
 * One request with an answer that is read whole, up to `maxBytes`. On undici's `dispatch`, because the stream that its
 * `request` makes of an answer costs as much again. Rejects with an `AbortError` when `signal` aborts.
 */
export function exchange(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal | undefined },
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  if (signal?.aborted) {
    reject(abortError(signal))
    return promise
  }
  const chunks: Buffer[] = []
  let status = 0
  let headers: Answer['headers'] = {}
  let sizeBytes = 0
  let started: Dispatcher.DispatchController | undefined
  const give = (error: Error) => {
    reject(error)
    started?.abort(error)
  }
  const abort = () => give(abortError(signal))
  signal?.addEventListener('abort', abort, { once: true })

  pool.dispatch(request, {
    onRequestStart(controller) {
      started = controller
      if (signal?.aborted) abort()
    },
    onResponseStart(_controller, statusCode, received) {
      status = statusCode
      headers = received
    },
    onResponseData(_controller, chunk) {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) give(malformed('is too long'))
      else chunks.push(chunk)
    },
    onResponseEnd: () =>
      resolve({ status, headers, body: chunks.length === 0 ? '' : Buffer.concat(chunks).toString() }),
    onResponseError: (_controller, error) => reject(error),
  })
  return promise.finally(() => signal?.removeEventListener('abort', abort))
}

export function abortError(signal: AbortSignal | undefined): Error {
  return Object.assign(new Error('The request was aborted', { cause: signal?.reason }), { name: 'AbortError' })
}

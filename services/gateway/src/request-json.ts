import type { Dispatcher, Pool } from 'undici'

export interface JsonAnswer {
  status: number
  answer: unknown
}

/**
 * One request with a JSON answer, read whole. On undici's `dispatch`, because the stream that its `request` makes of the
 * answer costs as much again. Rejects when there is no answer or it is not JSON.
 */
export async function requestJson(pool: Pool, request: Dispatcher.DispatchOptions): Promise<JsonAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const chunks: Buffer[] = []
  let status = 0
  pool.dispatch(request, {
    onRequestStart() {},
    onResponseStart(_controller, statusCode) {
      status = statusCode
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk)
    },
    onResponseEnd: () => resolve(),
    onResponseError: (_controller, error) => reject(error),
  })
  await promise
  return { status, answer: JSON.parse(Buffer.concat(chunks).toString()) }
}

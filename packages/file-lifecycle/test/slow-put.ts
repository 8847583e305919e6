import { once } from 'node:events'
import { request } from 'node:http'

/** More than socket buffers hold, so the store processes the PUT before the last byte is sent. */
export const SLOW_PUT_BYTES = 16 * 1024 * 1024

/** A PUT of `SLOW_PUT_BYTES` without its last byte. The store has begun to write the part. */
export async function startSlowPut(url: string) {
  const headers = { 'content-type': 'image/png', 'content-length': SLOW_PUT_BYTES }
  const put = request(url, { method: 'PUT', headers })
  const answered = once(put, 'response').then(([answer]) => {
    answer.resume()
    return answer.statusCode as number
  })
  answered.catch(() => undefined)
  await new Promise((resolve) => put.write(Buffer.alloc(SLOW_PUT_BYTES - 1, 'x'), resolve))
  return {
    /** Sends the last byte, and returns the store's status. */
    async finish(): Promise<number> {
      put.end('x')
      return await answered
    },
  }
}

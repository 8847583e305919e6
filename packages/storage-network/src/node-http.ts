import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'

// An import reads every name of node:http. One of them is WebSocket, for which Node loads its complete undici at every
// start.
export const http = process.getBuiltinModule('node:http')
export const https = process.getBuiltinModule('node:https')

export async function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  const [answer] = await once(request, 'response')
  return answer
}

/**
 * The response to a request without a body. Retries on a reused connection, which a restarted server may have closed.
 */
export async function answerTo(begin: () => ClientRequest): Promise<IncomingMessage> {
  const first = begin()
  try {
    return await answerOf(first.end())
  } catch (error) {
    if (!first.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error
    return await answerOf(begin().end())
  }
}

export function write(request: ClientRequest, piece: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const fail = () => reject(request.errored ?? new Error('the connection was closed'))
  request.once('close', fail)
  request.write(piece, (error) => {
    request.off('close', fail)
    if (error) reject(error)
    else resolve()
  })
  promise.catch(() => undefined) // callers await it before the next write
  return promise
}

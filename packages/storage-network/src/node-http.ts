import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'

// An import reads each name of node:http, WebSocket among them, for which Node loads all of its own undici at every
// start.
export const http = process.getBuiltinModule('node:http')
export const https = process.getBuiltinModule('node:https')

export async function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  const [answer] = await once(request, 'response')
  return answer
}

/** Response to a request without a body. A restarted server has closed connections that look open from here. */
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
  promise.catch(() => undefined) // it is awaited before the next
  return promise
}

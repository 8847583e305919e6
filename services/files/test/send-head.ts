import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Bundle } from './bundle.ts'

interface Head {
  method?: string
  /** The header of the caller. Default: the public. */
  principal?: Record<string, string>
  headers: Record<string, string>
}

/** The status and code of the response to a request whose body is never sent. */
export async function sendHead(t: Bundle, path: string, { method = 'PUT', principal, headers }: Head) {
  const sent = request(new URL(path, t.address), {
    method,
    headers: { ...(principal ?? (await t.principalHeaders())), accept: 'application/json', ...headers },
  })
  sent.on('error', () => {})
  sent.flushHeaders()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const { code } = JSON.parse(await text(answer)) as { code?: string }
  sent.destroy()
  return [answer.statusCode, code]
}

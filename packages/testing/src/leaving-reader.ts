import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from './with-seed.ts'

/** A request, and how its reader disconnects: by FIN or by RST. */
export interface Leaving {
  url: string
  method: 'GET' | 'HEAD'
  headers?: Record<string, string>
  /** Number of pipelined requests on the connection. */
  requests: number
  afterMs: number
  how: 'fin' | 'rst'
}

/** A random reader that disconnects after 0 to 50 ms. */
export function anyLeaving(url: string, random: Random, headers: Record<string, string> = {}): Leaving {
  const pick = <T>(...of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  return {
    url,
    method: pick('GET', 'GET', 'GET', 'HEAD'),
    headers: { ...headers, ...pick({}, { range: 'bytes=1000-' }, { range: 'bytes=9000000-9000100' }) },
    requests: pick(1, 1, 1, 3),
    afterMs: random() * 50,
    how: pick('fin', 'rst'),
  }
}

/** Sends the requests and disconnects after `afterMs`, whatever has arrived. Resolves when the connection is closed. */
export async function leave({ url, method, headers = {}, requests, afterMs, how }: Leaving): Promise<void> {
  const { hostname, port, host, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`.repeat(requests))
  // Receives bytes until it disconnects, like a client that leaves during a download.
  socket.resume()
  await delay(afterMs)
  if (how === 'rst') socket.resetAndDestroy()
  else socket.destroy()
  await closed
}

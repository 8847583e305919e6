import { once } from 'node:events'
import { connect } from 'node:net'
import { Pulse } from '@tideport/service-kit/patience'
import { Pool } from 'undici'

const CONNECTIONS_MAX = 1024
const CONNECT_TIMEOUT_MS = 1000

/** One process of a service, or what stands for several at one address. */
export interface Backend {
  pool: Pool
  /** When it answered a request that was awaited with patience. */
  pulse: Pulse
}

/** The processes of one service. */
export interface Upstream extends AsyncDisposable {
  /** Those to try for one request, best first, starting at another one each time; a lone one is tried twice. */
  inTurn(): Backend[]
  /** Whether any of them accepts a connection now. */
  isReachable(): Promise<boolean>
}

/**
 * Keeps connections to every given URL, one request at a time on each (measured: pipelining and HTTP/2 cost more).
 * Slow downloads and waiting confirms hold a connection each, hence the high limit.
 */
export function createUpstream(urls: readonly string[]): Upstream {
  const backends = urls.map((url) => ({
    pool: new Pool(new URL(url).origin, {
      connections: CONNECTIONS_MAX,
      pipelining: 1,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    }),
    pulse: new Pulse(),
  }))
  let next = 0
  return {
    inTurn() {
      next = (next + 1) % backends.length
      const inTurn = [...backends.slice(next), ...backends.slice(0, next)]
      return inTurn.length === 1 ? [...inTurn, ...inTurn] : inTurn
    },
    isReachable: () =>
      Promise.any(urls.map(reach)).then(
        () => true,
        () => false,
      ),
    async [Symbol.asyncDispose]() {
      await Promise.all(backends.map(({ pool }) => pool.close()))
    },
  }
}

/** A bare connection: asking over HTTP would put a line into the service's log every time. */
async function reach(url: string): Promise<void> {
  const { hostname, port, protocol } = new URL(url)
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) })
  } finally {
    socket.destroy()
  }
}

import { once } from 'node:events'
import { connect } from 'node:net'
import { Pulse } from '@tideport/service-kit/patience'
import { Pool } from 'undici'

const CONNECTIONS_MAX = 1024
const CONNECT_TIMEOUT_MS = 1000

/** The processes of one service. */
export interface Upstream extends AsyncDisposable {
  /** When any of them answered a request that was awaited with patience. */
  pulse: Pulse
  /** Those to try for one request, best first, starting at another one each time; a lone one is tried twice. */
  inTurn(): Pool[]
  /** Whether any of them accepts a connection now. */
  isReachable(): Promise<boolean>
}

/**
 * Keeps connections to every given URL, one request at a time on each (measured: pipelining and HTTP/2 cost more).
 * Slow downloads and waiting confirms hold a connection each, hence the high limit.
 */
export function createUpstream(urls: readonly string[]): Upstream {
  const pools = urls.map(
    (url) =>
      new Pool(new URL(url).origin, {
        connections: CONNECTIONS_MAX,
        pipelining: 1,
        connect: { timeout: CONNECT_TIMEOUT_MS },
      }),
  )
  let next = 0
  return {
    pulse: new Pulse(),
    inTurn() {
      next = (next + 1) % pools.length
      const inTurn = [...pools.slice(next), ...pools.slice(0, next)]
      return inTurn.length === 1 ? [...inTurn, ...inTurn] : inTurn
    },
    isReachable: () =>
      Promise.any(urls.map(reach)).then(
        () => true,
        () => false,
      ),
    async [Symbol.asyncDispose]() {
      await Promise.all(pools.map((pool) => pool.close()))
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

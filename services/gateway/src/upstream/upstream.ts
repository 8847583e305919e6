import type { Server } from 'node:http'
import { alivePath } from '@tideport/contracts/internal/alive'
import { openPool } from '@tideport/http-client/pool'
import { Heartbeat } from '@tideport/service-kit/context/wait-budget'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type undici from 'undici'
import { isConnectTimeout } from './connection-failure.ts'
import { type Lanes, openLanes } from './connection-pools.ts'
import { connectDirectly } from './direct-connection.ts'
import { createLiveness, type Liveness, type Probed } from './liveness.ts'

const CONNECT_TIMEOUT_MS = 1000

/** One process of a service, or a load balancer for several. */
export interface Backend {
  lanes: Lanes
  /** Beats when the process responds to a request that has a wait budget. */
  heartbeat: Heartbeat
  liveness: Liveness
  /** Records the outcome of a request that started at `startedAt` (`performance.now()`). */
  observe(method: string, outcome: number | 'failed', startedAt: number): void
}

export interface Upstream extends AsyncDisposable {
  /** The processes to try for one request, in order, rotating the first one. A single process is tried twice. */
  inTurn(): Backend[]
  isReachable(): Promise<boolean>
  hung(): number
}

export interface UpstreamOptions {
  name: 'auth' | 'files' | 'webhooks' | 'object_storage'
  urls: readonly string[]
  /** The server of a service that runs in this process, used instead of `urls`. Null: the service runs elsewhere. */
  direct?: (() => Server | undefined) | null
  log: Log
  metrics: Metrics
  streamsMax?: number
}

export function createUpstream({ name, urls, direct = null, log, metrics, streamsMax }: UpstreamOptions): Upstream {
  const connect = direct === null ? { timeout: CONNECT_TIMEOUT_MS } : connectDirectly(direct)
  const backends = (direct === null ? urls : [`http://${name}`]).map((url) => openBackend(new URL(url)))
  let next = 0

  function openBackend({ origin, host }: URL): Backend & AsyncDisposable {
    const lanes = openLanes(origin, connect, streamsMax)
    const probes = openPool(origin, { connections: 1, connect })
    const liveness = createLiveness({
      probe: (signal) => probe(probes, signal),
      // Probes all processes, so that a retry knows which ones respond.
      onSilence: () => backends.forEach((backend) => void backend.liveness.check()),
      onChange(isHung) {
        if (isHung) log.warn({ upstream: name, host }, 'upstream process is unresponsive and gets no more requests')
        else log.info({ upstream: name, host }, 'upstream process responds again')
      },
    })
    return {
      lanes,
      heartbeat: new Heartbeat(),
      liveness,
      observe: (operation, outcome, startedAt) =>
        metrics.observeCall({ peer: name, operation, outcome }, (performance.now() - startedAt) / 1000),
      async [Symbol.asyncDispose]() {
        liveness[Symbol.dispose]()
        await Promise.all([probes.destroy(), ...Object.values(lanes).map(({ pool }) => pool.close())])
      },
    }
  }

  return {
    inTurn() {
      next = (next + 1) % backends.length
      const inTurn = [...backends.slice(next), ...backends.slice(0, next)]
      return inTurn.length === 1 ? [...inTurn, ...inTurn] : inTurn
    },
    isReachable: () =>
      Promise.any(backends.map(mustAnswer)).then(
        () => true,
        () => false,
      ),
    hung: () => backends.filter(({ liveness }) => liveness.isHung).length,
    async [Symbol.asyncDispose]() {
      await Promise.all(backends.map((backend) => backend[Symbol.asyncDispose]()))
    },
  }
}

export function countHung(metrics: Metrics, upstreams: Record<string, Upstream>): void {
  const help = 'Processes of a service that get no requests because they are unresponsive'
  metrics.showEach('tideport_upstream_hung', 'upstream', help, () =>
    Object.fromEntries(Object.entries(upstreams).map(([name, upstream]) => [name, upstream.hung()])),
  )
}

async function mustAnswer({ liveness }: Backend): Promise<void> {
  if ((await liveness.check()) !== 'answers') throw new Error('No response')
}

/** Any response counts, including that of an older version without this path. */
async function probe(probes: undici.Pool, signal: AbortSignal): Promise<Probed> {
  try {
    const { body } = await probes.request({ method: 'GET', path: alivePath, signal })
    await body.dump()
    return 'answers'
  } catch (error) {
    return signal.aborted || isConnectTimeout(error) ? 'silent' : 'gone'
  }
}

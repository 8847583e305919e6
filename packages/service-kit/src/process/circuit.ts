import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'

const PROBE_MS = 5000
const PAUSE_MIN_MS = 250
const PAUSE_MAX_MS = 15_000

export interface Circuit extends AsyncDisposable {
  isClosed(): boolean
  /** Probes immediately, in any state, and returns whether the dependency responds. */
  answers(): Promise<boolean>
  open(cause: unknown): void
  /** Call when work succeeded: the next pause is short again. */
  noteSuccess(): void
}

interface CircuitsOptions {
  log: Log
  metrics: Metrics
  signal: AbortSignal
}

type Probe = (signal: AbortSignal) => Promise<unknown>

export function createCircuits({ metrics, ...options }: CircuitsOptions): (needs: string, probe: Probe) => Circuit {
  const circuits = new Map<string, Circuit>()
  const help = '1 while this process takes no work that needs this dependency, because it is down'
  metrics.showEach('tideport_circuit_open', 'needs', help, () =>
    Object.fromEntries([...circuits].map(([needs, circuit]) => [needs, circuit.isClosed() ? 0 : 1])),
  )
  return (needs, probe) => {
    const circuit = createCircuit(needs, probe, options)
    circuits.set(needs, circuit)
    return circuit
  }
}

/** Once open, probes after 250 ms, doubling to 15 s. Only successful work shortens the pauses again. */
function createCircuit(needs: string, probe: Probe, { log, signal }: Omit<CircuitsOptions, 'metrics'>): Circuit {
  const stop = new AbortController()
  const stopping = AbortSignal.any([signal, stop.signal])
  let pauseMs = PAUSE_MIN_MS
  let probing: Promise<void> | null = null
  async function probeUntilUp(): Promise<void> {
    do {
      await delay(pauseMs, undefined, { signal: stopping }).catch(() => {})
      pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)
    } while (!stopping.aborted && !(await holds(probe, stopping)))
    probing = null
    if (!stopping.aborted) log.info({ needs }, 'dependency available again, taking work')
  }

  return {
    isClosed: () => probing === null,
    answers: () => holds(probe, stopping),
    open(cause) {
      if (probing) return
      log.warn({ err: cause, needs }, 'dependency unavailable, taking no work')
      probing = probeUntilUp()
    },
    noteSuccess() {
      pauseMs = PAUSE_MIN_MS
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await probing
    },
  }
}

async function holds(probe: Probe, stopping: AbortSignal): Promise<boolean> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(PROBE_MS)])
  try {
    await probe(signal)
    return true
  } catch {
    return false
  }
}

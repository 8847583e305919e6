import { inContext } from '@tideport/service-kit/context/request-context'
import { newTrace, type TraceContext, wellFormed } from '@tideport/service-kit/context/trace-context'
import type { DnsResolver } from '@tideport/service-kit/outgoing/dns-resolver'
import { poll } from '@tideport/service-kit/process/poll'
import { claimSeconds, sendWithinMs, triedWhileDownMax } from '../subscriptions/limits.ts'
import { type ClaimedDelivery, claimDeliveries } from './claim-deliveries.ts'
import { type DeliverDeps, deliver } from './deliver.ts'
import { type EndedAttempt, makeReady, msUntilReady } from './ready-webhooks.ts'
import { releaseClaim, withdrawClaim } from './record-outcome.ts'

/** Longest time until this replica finds due deliveries of another replica, while busy and while idle. */
const LOOK_PAUSES = { minMs: 1000, maxMs: 5000 }
/** No timer is needed for longer waits: a regular poll comes first. */
const TIMER_MAX_MS = LOOK_PAUSES.maxMs
const AGAIN_MS = 25
/** Keeps replicas that wait for the same moment from polling simultaneously. */
const JITTER_MS = 200

interface DeliveryLoopOptions {
  /** Concurrent deliveries, in addition to those that wait for a DNS lookup. */
  concurrency: number
  timeoutSeconds: number
  /** How long deliveries in progress may continue after a stop before their claims are released. */
  graceSeconds: number
  names: Pick<DnsResolver, 'waiting' | 'isDown'>
  signal: AbortSignal
}

interface DeliveryLoop extends AsyncDisposable {
  wake(ended?: EndedAttempt): void
}

/**
 * Claims when woken, when an attempt finishes, and when one is due. Claims nothing after a stop. Disposal waits for
 * attempts.
 */
export function startDelivering(deps: DeliverDeps, options: DeliveryLoopOptions): DeliveryLoop {
  const { timeoutSeconds, graceSeconds, signal } = options
  const underWay = new Set<Promise<void>>()
  let ended: EndedAttempt[] = []
  let nextLook: NodeJS.Timeout | undefined
  const cutOff = new AbortController()
  signal.addEventListener('abort', () => void setTimeout(() => cutOff.abort(), graceSeconds * 1000).unref(), {
    once: true,
  })

  async function claimAndSend(): Promise<boolean> {
    const free = placesOf(options) - underWay.size
    if (free <= 0) return true
    if (ended.length === 0) {
      const restMs = (await msUntilReady(deps.db)) ?? Number.POSITIVE_INFINITY
      if (restMs > 0) {
        lookAgainIn(restMs + JITTER_MS * Math.random())
        return false
      }
    }
    const claimedAtMs = performance.now()
    for (const delivery of await claim(free)) send(delivery, claimedAtMs)
    lookAgainIn(AGAIN_MS)
    return true
  }

  async function claim(limit: number): Promise<ClaimedDelivery[]> {
    const handedIn = ended
    ended = []
    try {
      const claimFor = claimSeconds(timeoutSeconds)
      const { deliveries, missed } = await claimDeliveries(deps.db, { limit, claimSeconds: claimFor, ended: handedIn })
      ended.push(...missed)
      return deliveries
    } catch (error) {
      ended.push(...handedIn)
      throw error
    }
  }

  function send(delivery: ClaimedDelivery, claimedAtMs: number): void {
    const attempt = () => sendOrRelease(deps, delivery, claimedAtMs, cutOff.signal)
    const sent = inContext({ trace: traceOf(delivery) }, attempt).then(async () => {
      // After a stop, this process no longer claims the deliveries that waited for this one.
      if (signal.aborted) await makeReady(deps.db, delivery.webhookId).catch(() => {})
      underWay.delete(sent)
      wake(delivery)
    })
    underWay.add(sent)
  }

  function lookAgainIn(milliseconds: number): void {
    clearTimeout(nextLook)
    if (milliseconds < TIMER_MAX_MS) nextLook = setTimeout(task.wake, milliseconds).unref()
  }

  function wake(attempt?: EndedAttempt): void {
    if (attempt !== undefined) ended.push(attempt)
    task.wake()
  }

  const task = poll(LOOK_PAUSES, 'deliver webhooks', claimAndSend, { signal, log: deps.log })
  return {
    wake,
    async [Symbol.asyncDispose]() {
      await task[Symbol.asyncDispose]()
      clearTimeout(nextLook)
      await Promise.all(underWay)
    },
  }
}

function traceOf({ traceparent }: ClaimedDelivery): TraceContext {
  return { requestId: '', traceparent: wellFormed(traceparent) ?? newTrace().traceparent }
}

/**
 * Deliveries that wait for a DNS lookup take no place. While no name can be resolved, only a few deliveries are tried.
 */
function placesOf({ concurrency, names }: DeliveryLoopOptions): number {
  return names.isDown() ? Math.min(concurrency, triedWhileDownMax) : concurrency + names.waiting()
}

/** Never throws. After an error, the claim expires. */
async function sendOrRelease(
  deps: DeliverDeps,
  delivery: ClaimedDelivery,
  claimedAtMs: number,
  cutOff: AbortSignal,
): Promise<void> {
  try {
    // `untilQuiet` relies on this limit.
    const isStale = performance.now() - claimedAtMs > sendWithinMs
    if (isStale) await withdrawClaim(deps.db, delivery)
    else await deliver(deps, delivery, cutOff)
  } catch (error) {
    if (cutOff.aborted) await releaseClaim(deps.db, delivery).catch(() => {})
    else deps.log.error({ err: error, deliveryId: delivery.id }, 'webhook attempt could not be recorded')
  }
}

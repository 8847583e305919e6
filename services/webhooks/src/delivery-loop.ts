import { every } from '@tideport/service-kit/every'
import { type ClaimedDelivery, claimDeliveries } from './claim-deliveries.ts'
import { type DeliverDeps, deliver } from './deliver.ts'
import { leaseSeconds, sendWithinMs } from './limits.ts'
import { releaseClaim, withdrawClaim } from './record-outcome.ts'

const POLL_MS = 500
const CONTENDED_MS = 25
export interface DeliveryLoopOptions {
  /** How many deliveries may be under way at once. */
  concurrency: number
  timeoutSeconds: number
  /** How long after a stop deliveries under way may go on before their claims are given back. */
  graceSeconds: number
  signal: AbortSignal
}

export interface DeliveryLoop extends AsyncDisposable {
  /** Looks for due deliveries now instead of at the next poll. */
  wake(): void
}

/**
 * Sends what is due, as long as the process runs: at once when woken, and twice a second besides. On a stop nothing new
 * is claimed; disposing waits for what is under way.
 */
export function startDelivering(deps: DeliverDeps, options: DeliveryLoopOptions): DeliveryLoop {
  const { concurrency, timeoutSeconds, graceSeconds, signal } = options
  const underWay = new Set<Promise<void>>()
  const cutOff = new AbortController()
  signal.addEventListener('abort', () => void setTimeout(() => cutOff.abort(), graceSeconds * 1000).unref(), {
    once: true,
  })

  async function claimAndSend(): Promise<void> {
    const free = concurrency - underWay.size
    if (free === 0) return
    const claimedAtMs = performance.now()
    const { deliveries, isContended } = await claimDeliveries(deps.db, {
      limit: free,
      leaseSeconds: leaseSeconds(timeoutSeconds),
    })
    for (const delivery of deliveries) {
      const sent = sendOrRelease(deps, delivery, claimedAtMs, cutOff.signal).finally(() => {
        underWay.delete(sent)
        clock.wake()
      })
      underWay.add(sent)
    }
    if (isContended) setTimeout(clock.wake, CONTENDED_MS).unref()
  }

  const clock = every(POLL_MS, 'deliver webhooks', claimAndSend, { signal, log: deps.log })
  return {
    wake: clock.wake,
    async [Symbol.asyncDispose]() {
      await clock[Symbol.asyncDispose]()
      await Promise.all(underWay)
    },
  }
}

/** Never throws. What goes wrong here leaves the claim to its lease. */
async function sendOrRelease(
  deps: DeliverDeps,
  delivery: ClaimedDelivery,
  claimedAtMs: number,
  cutOff: AbortSignal,
): Promise<void> {
  try {
    // Whoever waits for a webhook to fall silent counts on this.
    const isStale = performance.now() - claimedAtMs > sendWithinMs
    if (isStale) await withdrawClaim(deps.db, delivery)
    else await deliver(deps, delivery, cutOff)
  } catch (error) {
    if (cutOff.aborted) await releaseClaim(deps.db, delivery).catch(() => {})
    else deps.log.error({ err: error, deliveryId: delivery.id }, 'attempt could not be recorded')
  }
}

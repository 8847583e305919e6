import type { Principal } from '@tideport/contracts/internal/principal'
import { Heartbeat, WaitBudget } from '@tideport/service-kit/context/wait-budget'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { FastifyRequest } from 'fastify'
import { createClientAddress } from './client-address.ts'
import { createWaitingLines } from './waiting-lines.ts'

/** Small files come and go in milliseconds: a burst of them is served, where it was refused while nobody waited. */
const WAIT_MS = 1000
/** How many of an address wait at once, for each place that it may have. */
const WAITING_PER_PLACE = 4
const RETRY_AFTER_SECONDS = 5

const refusals = {
  address: 'Too many downloads and uploads of your address',
  account: 'Too many downloads and uploads of your account',
  process: 'Too many downloads and uploads are under way',
}

type Bound = keyof typeof refusals

export interface StreamSlotsOptions {
  /** Of this process, and of one client address (or IPv6 /64). One account has half of the former at most. */
  streamsMax: number
  streamsPerAddressMax: number
  trustedProxies: readonly string[]
  metrics: Metrics
}

/**
 * Takes a slot for this request's stream, for which it waits a second at most, and answers how to give it back. Rejects
 * with 503 when there is none, or too many of its address wait: nobody takes the place in line of others.
 */
export type TakeStreamSlot = (request: FastifyRequest) => Promise<() => void>

/**
 * Bounds how many files are sent at once: by this process, since each of them holds memory and a connection for as long
 * as its reader likes, and to one address, so that a few readers cannot take the place of all others, nor
 * one account from many addresses.
 */
export function createStreamSlots(options: StreamSlotsOptions): TakeStreamSlot {
  const { streamsMax, streamsPerAddressMax, trustedProxies, metrics } = options
  const addressOf = createClientAddress(trustedProxies)
  const refused = metrics.counter({
    name: 'tideport_refused_streams_total',
    help: 'Downloads and uploads that were answered 503 because there were too many at once',
    labelNames: ['bound'],
  })
  let open = 0
  const entering = new Map<string, number>()
  metrics.gauge({
    name: 'tideport_open_streams',
    help: 'Files that are being sent to clients, or come from them, now',
    collect() {
      this.set(open)
    },
  })

  function refusal(bound: Bound): AppError {
    refused.labels(bound).inc()
    return new AppError('unavailable', refusals[bound], { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }

  const heartbeat = new Heartbeat() // never beats: the wait is as long for everybody
  const tooLate = (bound: Bound) => () => refusal(bound)
  const perAccountMax = Math.max(streamsPerAddressMax, Math.ceil(streamsMax / 2))
  const own = createWaitingLines<string>({ places: streamsPerAddressMax, heartbeat, tooLate: tooLate('address') })
  const accounts = createWaitingLines<string>({ places: perAccountMax, heartbeat, tooLate: tooLate('account') })
  const all = createWaitingLines<'all'>({ places: streamsMax, heartbeat, tooLate: tooLate('process') })

  async function enter(address: string, principal: Principal | null): Promise<DisposableStack> {
    using entered = new DisposableStack()
    const waitBudget = new WaitBudget(WAIT_MS)
    entered.use(await own.enter(address, waitBudget))
    if (principal?.kind === 'account') entered.use(await accounts.enter(principal.accountId, waitBudget))
    entered.use(await all.enter('all', waitBudget))
    open += 1
    entered.defer(() => {
      open -= 1
    })
    return entered.move()
  }

  return async ({ raw, principal }) => {
    const address = addressOf(raw.socket.remoteAddress ?? '::', raw.headers['x-forwarded-for']?.toString())
    const before = entering.get(address) ?? 0
    if (before >= streamsPerAddressMax * WAITING_PER_PLACE) throw refusal('address')
    entering.set(address, before + 1)
    try {
      const entered = await enter(address, principal)
      return () => entered.dispose()
    } finally {
      const left = (entering.get(address) ?? 1) - 1
      if (left === 0) entering.delete(address)
      else entering.set(address, left)
    }
  }
}

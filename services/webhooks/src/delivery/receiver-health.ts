import { type RawBuilder, sql } from 'kysely'

const SLOTS_MAX = 32
const QUICK_MS = 1000
const QUICK_SUCCESSES_PER_SLOT = 10
const TIMEOUTS_TO_OPEN = 5
const RECENT_SECONDS = 5 * 60
const RECENT_ATTEMPTS_MIN = 10
const RECENT_FAILURES_SHARE = 0.7
const PROBE_FIRST_SECONDS = 30
const PROBE_MAX_SECONDS = 10 * 60
const FAILURES_TO_DISABLE = 10
const DAYS_TO_DISABLE = 5

/** Slots of a webhook: none while the circuit is open, then one as a probe. None while names cannot be looked up. */
export const openSlots = sql`(case when w.paused_until > now() then 0
  when w.circuit_open_until is null then w.slots when w.circuit_open_until <= now() then 1 else 0 end)`

export const unknownHealth = {
  consecutiveFailures: 0,
  failingSince: null,
  consecutiveTimeouts: 0,
  recentSince: null,
  recentAttempts: 0,
  recentFailures: 0,
  circuitOpenUntil: null,
  failedProbes: 0,
  pausedUntil: null,
} as const

interface AttemptResult {
  hasSucceeded: boolean
  isTimeout: boolean
  durationMs: number
}

/**
 * Updates the health of a webhook's receiver after an attempt. Returns `may_retry`, the webhook's `activation`, and
 * `is_beyond_hope`. A success that changes nothing updates and returns no row. `scale` multiplies all times.
 */
export function noteAttempt(webhookId: string, result: AttemptResult, scale: number): RawBuilder<unknown> {
  return result.hasSucceeded
    ? noteSuccess(webhookId, result.durationMs < QUICK_MS, scale)
    : noteFailure(webhookId, result.isTimeout, scale)
}

const isProbing = sql`(circuit_open_until is not null and circuit_open_until <= now())`

function isRecent(scale: number): RawBuilder<unknown> {
  return sql`(recent_since is not null and recent_since > now() - make_interval(secs => ${RECENT_SECONDS * scale}))`
}

/** Every tenth quick success adds a slot. A successful probe closes the circuit. */
function noteSuccess(webhookId: string, isQuick: boolean, scale: number): RawBuilder<unknown> {
  const earnsSlot = sql`(${isQuick} and quick_successes + 1 >= ${QUICK_SUCCESSES_PER_SLOT})`
  const forgets = sql`(${isProbing} or not ${isRecent(scale)})`
  return sql`
    update webhook set consecutive_failures = 0, failing_since = null, consecutive_timeouts = 0,
      slots = case when ${earnsSlot} then least(slots + 1, ${SLOTS_MAX}) else slots end,
      quick_successes = case when ${earnsSlot} then 0 when ${isQuick} then quick_successes + 1 else quick_successes end,
      recent_since = case when ${forgets} then null else recent_since end,
      recent_attempts = case when ${forgets} then 0 else recent_attempts + 1 end,
      recent_failures = case when ${forgets} then 0 else recent_failures end,
      circuit_open_until = case when ${isProbing} then null else circuit_open_until end,
      failed_probes = case when ${isProbing} then 0 else failed_probes end
    where id = ${webhookId} and (consecutive_failures > 0 or recent_since is not null or circuit_open_until is not null
      or (${isQuick} and slots < ${SLOTS_MAX}))
    returning active and deleted_at is null as may_retry, activation, false as is_beyond_hope`
}

/**
 * A timeout halves the slots. Enough failures open the circuit. Each failed probe doubles the time until the next one.
 */
function noteFailure(webhookId: string, isTimeout: boolean, scale: number): RawBuilder<unknown> {
  const attempts = sql`(case when ${isRecent(scale)} then recent_attempts else 0 end + 1)`
  const failures = sql`(case when ${isRecent(scale)} then recent_failures else 0 end + 1)`
  const isDown = sql`((${isTimeout} and consecutive_timeouts + 1 >= ${TIMEOUTS_TO_OPEN})
    or (${attempts} >= ${RECENT_ATTEMPTS_MIN} and ${failures} >= ${RECENT_FAILURES_SHARE}::numeric * ${attempts}))`
  const nextProbeSeconds = sql`(${scale}::float8
    * least(${PROBE_FIRST_SECONDS} * 2 ^ least(failed_probes + 1, 10), ${PROBE_MAX_SECONDS}))`
  return sql`
    update webhook set consecutive_failures = consecutive_failures + 1, failing_since = coalesce(failing_since, now()),
      consecutive_timeouts = case when ${isTimeout} then consecutive_timeouts + 1 else 0 end,
      slots = case when ${isTimeout} then greatest(slots / 2, 1) else slots end,
      quick_successes = case when ${isTimeout} then 0 else quick_successes end,
      recent_since = case when ${isRecent(scale)} then recent_since else now() end,
      recent_attempts = ${attempts}, recent_failures = ${failures},
      circuit_open_until = case when circuit_open_until > now() then circuit_open_until
        when ${isProbing} then now() + make_interval(secs => ${nextProbeSeconds})
        when ${isDown} then now() + make_interval(secs => ${PROBE_FIRST_SECONDS * scale}) end,
      failed_probes = case when ${isProbing} then failed_probes + 1 else failed_probes end
    where id = ${webhookId}
    returning active and deleted_at is null as may_retry, activation, consecutive_failures >= ${FAILURES_TO_DISABLE}
      and failing_since <= now() - make_interval(secs => ${DAYS_TO_DISABLE * 86_400 * scale}) as is_beyond_hope`
}

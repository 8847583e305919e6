/** The least that a client takes or sends while it is waited for, once `GRACE_MS` are used up: 32 KiB a second. */
const BYTES_PER_MS = 32 * 1.024
export const LOOK_MS = 100
/**
 * How far a client falls behind the minimum rate before a newcomer takes its slot: one with at least two slots fewer,
 * one with none, and any other. Between equals this takes longest, because it only moves the shortage.
 */
export const GRACE_MS = { fewer: 500, none: 2000, equal: 10_000 }
/** A longer time between two looks was a standstill of this process. */
const ELAPSED_MAX_MS = 300

/** What a transfer waits for at one moment. */
export interface Pace {
  /** Bytes that the client took or sent so far. */
  movedBytes: number
  /** Whether the transfer waits only for the client: to take bytes, or to send them. */
  isWaiting: boolean
}

/** How far behind the minimum rate. Time in which store, network, or process are slow does not count. */
export interface ClientPace {
  /** Milliseconds. Bytes pay for time that was spent waiting for them, never for time to come. */
  readonly behindMs: number
  readonly isWaiting: boolean
  /** To be called some times a second, with the time since it was called last. */
  look(elapsedMs: number): void
}

export function watchPace(pace: () => Pace): ClientPace {
  let { movedBytes, isWaiting } = pace()
  let behindMs = 0
  return {
    get behindMs() {
      return behindMs
    },
    get isWaiting() {
      return pace().isWaiting
    },
    look(elapsedMs) {
      const now = pace()
      const waitedMs = isWaiting && now.isWaiting ? Math.min(elapsedMs, ELAPSED_MAX_MS) : 0
      const paidMs = Math.max(0, now.movedBytes - movedBytes) / BYTES_PER_MS
      behindMs = Math.max(0, behindMs + waitedMs - paidMs)
      movedBytes = now.movedBytes
      isWaiting = now.isWaiting
    },
  }
}

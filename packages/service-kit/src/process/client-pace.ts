/** Minimum rate of a client while the server waits for it, after `GRACE_MS`: 32 KiB per second. */
const BYTES_PER_MS = 32 * 1.024
export const LOOK_MS = 100
/**
 * How far a client falls behind the minimum rate before a newcomer takes its slot. `fewer`: the newcomer has at least
 * two slots fewer. `none`: the newcomer has no slot. `equal`: any other newcomer. It waits longest, because replacing
 * an equal only moves the shortage.
 */
export const GRACE_MS = { fewer: 500, none: 2000, equal: 10_000 }
/** If more time passes between two measurements, this process was stalled, and the rest does not count. */
const ELAPSED_MAX_MS = 300

/** The state of a transfer at one moment. */
export interface Pace {
  /** Bytes that the client has received or sent so far. */
  movedBytes: number
  /** Whether the transfer waits only for the client to receive or send bytes. */
  isWaiting: boolean
}

/** How far a client is behind the minimum rate. Time does not count while the store, network, or process is slow. */
export interface ClientPace {
  /** In milliseconds. Transferred bytes reduce it to 0 at most: they give no credit for later waits. */
  readonly behindMs: number
  readonly isWaiting: boolean
  /** Call this several times per second, with the time since the last call. */
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

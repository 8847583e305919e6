const MIB = 1024 ** 2
/** Longest delay of a timer. */
const TIMER_MAX_MS = 2 ** 31 - 1

/** `timeoutMs`, plus the same time for each unsent MiB (17 KiB/s by default). */
export const transferTimeoutMs = (timeoutMs: number, unsentBytes: number): number =>
  Math.min(TIMER_MAX_MS, timeoutMs * (1 + unsentBytes / MIB))

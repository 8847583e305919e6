const MIB = 1024 ** 2
/** Timers take no more. */
const TIMER_MAX_MS = 2 ** 31 - 1

/** `timeoutMs`, and as long again for each MiB that has not left (17 KiB/s by default). */
export const transferTimeoutMs = (timeoutMs: number, unsentBytes: number): number =>
  Math.min(TIMER_MAX_MS, timeoutMs * (1 + unsentBytes / MIB))

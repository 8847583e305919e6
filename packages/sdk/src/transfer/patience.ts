const MIB = 1024 ** 2
/** Timers take no more. */
const TIMER_MAX_MS = 2 ** 31 - 1

/**
 * How long to wait for bytes to leave or for a response: `timeoutMs`, and as long again for each MiB that has not left.
 * By default that allows for 17 KiB/s where the platform does not report how much has left.
 */
export const patienceMs = (timeoutMs: number, unsentBytes: number): number =>
  Math.min(TIMER_MAX_MS, timeoutMs * (1 + unsentBytes / MIB))

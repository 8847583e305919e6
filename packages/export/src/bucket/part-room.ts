const MIB = 1024 ** 2
/** A bucket that takes less in a slow place (run-jobs.ts) is too slow: 70 kB/s. */
const LEAST = 8 * MIB
const FIRST = 32 * MIB
const QUICK_MS = 10_000
const SLOW_MS = 20_000

/** Size of the next part, halved after each failure. */
export const roomNow = (room: number | undefined, attempt: number): number =>
  Math.max(LEAST, Math.floor((room ?? FIRST) / 2 ** attempt))

/** Size of the part after this one, so that each takes some seconds at the speed of the bucket. */
export function roomNext(room: number, { isFull, tookMs }: { isFull: boolean; tookMs: number }): number {
  if (tookMs > SLOW_MS) return Math.floor(room / 2)
  return tookMs < QUICK_MS && isFull ? room * 2 : room
}

const MIB = 1024 ** 2
/** What a bucket is too slow for that does not take it in a slow place (run-jobs.ts): 70 kB/s. */
const LEAST = 8 * MIB
const FIRST = 32 * MIB
const QUICK_MS = 10_000
const SLOW_MS = 20_000

/** Bytes that the next part to a bucket may have: half as many each time that one failed. */
export const roomNow = (room: number | undefined, attempt: number): number =>
  Math.max(LEAST, Math.floor((room ?? FIRST) / 2 ** attempt))

/**
 * Bytes that the part after this one may have, so that each takes some seconds, however fast its bucket: whoever has a place
 * gives it back soon, and what is cut off is little.
 */
export function roomNext(room: number, { isFull, tookMs }: { isFull: boolean; tookMs: number }): number {
  if (tookMs > SLOW_MS) return Math.floor(room / 2)
  return tookMs < QUICK_MS && isFull ? room * 2 : room
}

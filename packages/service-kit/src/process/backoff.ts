export interface Backoff {
  /**
   * The next pause in milliseconds: twice the last one up to the maximum, and up to a third less so that many do not
   * move in step.
   */
  next(): number
  /** Begins with the shortest pause again. */
  reset(): void
}

export function createBackoff({ minMs, maxMs }: { minMs: number; maxMs: number }): Backoff {
  let pauseMs = minMs
  return {
    next() {
      const now = pauseMs
      pauseMs = Math.min(maxMs, pauseMs * 2)
      return now * (2 / 3 + Math.random() / 3)
    },
    reset() {
      pauseMs = minMs
    },
  }
}

interface Backoff {
  /** The next pause in milliseconds: twice the last, minus up to a third, so that processes do not act together. */
  next(): number
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

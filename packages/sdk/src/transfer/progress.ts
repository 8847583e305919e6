export interface Progress {
  sentBytes: number
  totalBytes: number
  /** Rate of the last seconds; null until it is known. */
  bytesPerSecond: number | null
  /** Null without a rate. */
  secondsRemaining: number | null
}

/** Sums the progress of all parts, and reports it at most ten times per second and at the end. */
export function trackProgress(totalBytes: number, tell: ((progress: Progress) => void) | undefined, arrivedBytes = 0) {
  const underWay = new Map<number, number>()
  let doneBytes = arrivedBytes
  let toldAt = 0
  let samples: { at: number; bytes: number }[] = []

  function report() {
    const now = performance.now()
    const sentBytes = doneBytes + [...underWay.values()].reduce((sum, bytes) => sum + bytes, 0)
    if (!tell || (now - toldAt < 100 && sentBytes < totalBytes)) return
    toldAt = now
    samples = [...samples.filter(({ at }) => now - at < 5000), { at: now, bytes: sentBytes }]
    const first = samples[0] as (typeof samples)[number]
    const passed = (now - first.at) / 1000
    const rate = passed > 0.2 ? Math.max(0, sentBytes - first.bytes) / passed : 0
    const bytesPerSecond = rate > 0 ? rate : null
    tell({
      sentBytes,
      totalBytes,
      bytesPerSecond,
      secondsRemaining: bytesPerSecond && (totalBytes - sentBytes) / bytesPerSecond,
    })
  }

  return {
    sent(part: number, bytes: number) {
      underWay.set(part, bytes)
      report()
    },
    arrived(part: number, bytes: number) {
      underWay.delete(part)
      doneBytes += bytes
      report()
    },
  }
}

export type ProgressTracker = ReturnType<typeof trackProgress>

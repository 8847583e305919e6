/** Simulated time. It advances when all due work is complete, including work in promises. */
export interface Timeline {
  now(): number
  at(ms: number, work: () => void): void
  later(ms: number, work: () => void): void
  /** Runs until no work is left. */
  run(): Promise<void>
}

export function createTimeline(): Timeline {
  const due: { ms: number; work: () => void }[] = []
  let now = 0
  const at = (ms: number, work: () => void) => {
    const index = due.findLastIndex((other) => other.ms <= ms)
    due.splice(index + 1, 0, { ms: Math.max(ms, now), work })
  }
  return {
    now: () => now,
    at,
    later: (ms, work) => at(now + ms, work),
    async run() {
      for (let next = due.shift(); next !== undefined; next = due.shift()) {
        now = next.ms
        next.work()
        await new Promise(setImmediate)
      }
    },
  }
}

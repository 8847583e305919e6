import { setTimeout as delay } from 'node:timers/promises'
import type { Confirmed, FaultAccount } from './account.ts'

/** Leaves a small machine time for other work than reading. */
const PAUSE_MS = 500

/** Starts a reader that repeatedly reads a random file until stopped. `read` throws unless it gets the bytes. */
export function startReading({ confirmed }: FaultAccount, read: (upload: Confirmed) => Promise<void>) {
  const stopping = new AbortController()
  let reads = 0
  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      const upload = confirmed[Math.floor(Math.random() * confirmed.length)]
      if (upload) await read(upload)
      reads += 1
      await delay(PAUSE_MS)
    }
  }
  const working = work()
  working.catch(() => stopping.abort()) // reported by stop
  return {
    /** Returns the number of reads. Throws the error of a failed read. */
    async stop(): Promise<number> {
      stopping.abort()
      await working
      return reads
    },
    [Symbol.dispose]: () => stopping.abort(),
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Confirmed, FaultAccount } from './account.ts'

/** So long that a small machine is not busy with reading alone. */
const PAUSE_MS = 500

/** A reader of any of the files there are, again and again, until stopped. `read` throws unless it gets the bytes. */
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
  working.catch(() => stopping.abort()) // told by stop
  return {
    /** Returns how often a file was read; throws what went wrong with any. */
    async stop(): Promise<number> {
      stopping.abort()
      await working
      return reads
    },
    [Symbol.dispose]: () => stopping.abort(),
  }
}

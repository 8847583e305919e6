import { setTimeout as delay } from 'node:timers/promises'
import { uniqueBytes } from '../../support/uploads.ts'
import type { FaultAccount } from './account.ts'

const CLIENTS = 4
const PAUSE_MS = 100

/** Clients that upload a file and read it back, again and again, until stopped; `stop` throws what went wrong for any. */
export function startLoad(account: FaultAccount) {
  const stopping = new AbortController()
  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      await account.expectReadable(await account.upload(uniqueBytes(20_000)))
      await delay(PAUSE_MS)
    }
  }
  const working = Promise.all(Array.from({ length: CLIENTS }, work))
  working.catch(() => {}) // told by stop
  return {
    async stop(): Promise<void> {
      stopping.abort()
      await working
    },
  }
}

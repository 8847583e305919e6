import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@tideport/testing/wait-for'
import { uniqueBytes } from '../../support/uploads.ts'
import type { FaultAccount } from './account.ts'

/** The pauses leave a small machine time for other work than the load. */
const STEADY = { clients: 4, pauseMs: 300 }
/** For tests that take minutes, because each uploaded file is one more file to move and to wait for. */
export const CALM = { clients: 1, pauseMs: 3000 }

/** Starts clients that repeatedly upload a file and read it back until stopped. */
export function startLoad(account: FaultAccount, { clients, pauseMs } = STEADY) {
  const stopping = new AbortController()
  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      await account.expectReadable(await account.upload(uniqueBytes(20_000)))
      await delay(pauseMs)
    }
  }
  const working = Promise.all(Array.from({ length: clients }, work))
  working.catch(() => stopping.abort()) // reported by stop
  return {
    /** Waits until this many more files are confirmed. */
    async awaitProgress(files: number): Promise<void> {
      const goal = account.confirmed.length + files
      const what = `${files} more files under load`
      await waitFor(() => stopping.signal.aborted || account.confirmed.length >= goal, { what, timeoutMs: 120_000 })
    },
    /** Lets the clients finish their current files. Throws the error of a client that failed. */
    async stop(): Promise<void> {
      stopping.abort()
      await working
    },
    [Symbol.dispose]: () => stopping.abort(),
  }
}

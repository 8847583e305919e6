import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@tideport/testing/wait-for'
import { uniqueBytes } from '../../support/uploads.ts'
import type { FaultAccount } from './account.ts'

/** Pauses so long that a small machine is not busy with the load alone. */
const STEADY = { clients: 4, pauseMs: 300 }
/** For tests of minutes: each file that is uploaded is one more to wait for, and costs as much as those to be moved. */
export const CALM = { clients: 1, pauseMs: 3000 }

/** Clients that upload a file and read it back, again and again, until stopped. */
export function startLoad(account: FaultAccount, { clients, pauseMs } = STEADY) {
  const stopping = new AbortController()
  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      await account.expectReadable(await account.upload(uniqueBytes(20_000)))
      await delay(pauseMs)
    }
  }
  const working = Promise.all(Array.from({ length: clients }, work))
  working.catch(() => stopping.abort()) // told by stop
  return {
    /** Waits until so many more files were confirmed. */
    async awaitProgress(files: number): Promise<void> {
      const goal = account.confirmed.length + files
      const what = `${files} more files under load`
      await waitFor(() => stopping.signal.aborted || account.confirmed.length >= goal, { what, timeoutMs: 120_000 })
    },
    /** Lets them finish what they are at; throws what went wrong for any of them. */
    async stop(): Promise<void> {
      stopping.abort()
      await working
    },
    [Symbol.dispose]: () => stopping.abort(),
  }
}

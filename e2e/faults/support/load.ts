import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@tideport/testing/wait-for'
import { uniqueBytes } from '../../support/uploads.ts'
import type { FaultAccount } from './account.ts'

const CLIENTS = 4
/** So long that a small machine is not busy with the load alone. */
const PAUSE_MS = 300

/** Clients that upload a file and read it back, again and again, until stopped. */
export function startLoad(account: FaultAccount) {
  const stopping = new AbortController()
  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      await account.expectReadable(await account.upload(uniqueBytes(20_000)))
      await delay(PAUSE_MS)
    }
  }
  const working = Promise.all(Array.from({ length: CLIENTS }, work))
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

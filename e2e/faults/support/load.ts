import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { uniqueBytes } from '../../support/uploads.ts'
import type { FaultAccount } from './account.ts'

const CLIENTS = 4
const PAUSE_MS = 250

/** Clients that upload a file and read it back, again and again, until stopped; `stop` throws what went wrong for any. */
export function startLoad({ upload, client }: FaultAccount) {
  const stopping = new AbortController()
  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { file, bytes } = await upload(uniqueBytes(20_000))
      expect(await client.read(file)).toEqual({ byId: bytes, download: bytes })
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

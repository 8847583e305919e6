import { storeCopy } from '../src/copies/store-copy.ts'
import { setupWorker } from './worker-bundle.ts'

/** A worker's bundle whose hot bytes stay for a minute. */
export async function setupStoring(options: Parameters<typeof setupWorker>[0] = {}) {
  const t = await setupWorker(options)
  const storeDeps = { ...t.storeDeps, syncRetryBaseSeconds: 100, hotRetentionSeconds: 60 }
  return Object.assign(t, { storeDeps, store: t.copyWorker(storeCopy(storeDeps, t.network)) })
}

export type StoringBundle = Awaited<ReturnType<typeof setupStoring>>

import type { TestBucket } from '@tideport/testing/s3'
import type { FileRow } from '../src/state/tables.ts'
import { markSynced } from '../src/state/transitions.ts'
import { recordNetworkCopy } from '../src/work/attempts.ts'
import { claimDue } from '../src/work/claim.ts'
import { must, never } from './bundle.ts'
import { setupWorker } from './worker-bundle.ts'

/** A worker's bundle with files that were synced and are due for eviction. */
export async function setupEviction(store?: { settings: TestBucket['settings'] }) {
  const t = await setupWorker(store)
  return Object.assign(t, {
    /** A file whose copy is on the network as sync leaves it, without retention. */
    async syncedFile(body = 'hello'): Promise<FileRow & { hotKey: string; blobId: string }> {
      const hot = await t.hotFile(body)
      const claimed = must(await claimDue(t.db, hot.id, 'sync'))
      const source = must(await t.hotTier.open(must(hot.hotKey), undefined, never))
      const staged = await t.network.stage(source, { fileId: hot.id, signal: never })
      const copy = { network: 'embedded', blobId: staged.blobId, ref: staged.ref }
      const named = must(await recordNetworkCopy(t.db, claimed, copy))
      await staged.commit()
      const held = { sha256: staged.sha256, leaseExpiresAt: null, hotRetentionSeconds: 0 }
      const synced = must(await markSynced(t.db, named, held))
      return { ...synced, hotKey: must(synced.hotKey), blobId: must(synced.blobId) }
    },
    entryOf: (file: { id: string; blobId: string }) => `${file.blobId}/${file.id}`,
  })
}

export type EvictionBundle = Awaited<ReturnType<typeof setupEviction>>

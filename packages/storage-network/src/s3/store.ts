import type { NetworkIdentity } from '../identity.ts'
import { createOwner, type Owner } from '../owner.ts'
import { type Bucket, type BucketSettings, openBucket } from './bucket.ts'
import { CONTENT_PREFIX } from './keys.ts'
import type { LockSettings } from './lock.ts'
import { readMarker } from './marker.ts'
import { abortUploads } from './multipart-upload.ts'
import type { RestoreSettings } from './restore.ts'

export interface S3Settings extends BucketSettings {
  /** Of the bytes; the store's own default unless told. */
  storageClass?: string | undefined
  /** What the store bills for an object of that class at least; 0 unless told. */
  minBilledBytes?: number | undefined
  /** Only in a bucket that was made with Object Lock. */
  lock?: LockSettings | undefined
  restore: RestoreSettings
}

export interface Store {
  settings: S3Settings
  bucket: Bucket
  owner: Owner
  /** Drops, at first and once an hour, uploads that a process which died has left. Fails in silence: it comes again. */
  sweepUploads(): void
}

const STALE_AFTER_MS = 24 * 60 * 60 * 1000
const SWEEP_EVERY_MS = 60 * 60 * 1000
const SWEEP_MS = 5 * 60 * 1000

export function openStore(settings: S3Settings, identity: NetworkIdentity): Store {
  const bucket = openBucket(settings)
  let sweptAt = Number.NEGATIVE_INFINITY
  return {
    settings,
    bucket,
    owner: createOwner('bucket', (signal) => readMarker(bucket, signal), identity),
    sweepUploads() {
      if (performance.now() - sweptAt < SWEEP_EVERY_MS) return
      sweptAt = performance.now()
      const before = new Date(Date.now() - STALE_AFTER_MS)
      void abortUploads(bucket, CONTENT_PREFIX, before, AbortSignal.timeout(SWEEP_MS)).catch(() => undefined)
    },
  }
}

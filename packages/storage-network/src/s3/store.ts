import type { NetworkIdentity } from '../identity.ts'
import { createOwner, type Owner } from '../owner.ts'
import { type Bucket, type BucketSettings, openBucket } from './bucket.ts'
import { CONTENT_PREFIX } from './keys.ts'
import type { LockSettings } from './lock.ts'
import { readMarker } from './marker.ts'
import { abortUploads } from './multipart-upload.ts'
import type { RestoreSettings } from './restore.ts'

export interface S3Settings extends BucketSettings {
  /** Storage class of the bytes. Default: the store's. */
  storageClass?: string | undefined
  /** Smallest billed size of an object in that class. Default: 0. */
  minBilledBytes?: number | undefined
  /** Only for a bucket that was created with Object Lock. */
  lock?: LockSettings | undefined
  restore: RestoreSettings
}

export interface Store {
  settings: S3Settings
  bucket: Bucket
  owner: Owner
  /** Aborts uploads of dead processes, at the start and once an hour. Ignores errors, because it runs again. */
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

import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import type { HotTierConfig } from './hot-tier-config.ts'
import { createStoreClient } from './store-client.ts'

/** All our keys begin so: `hot/<fileId>/<uuid>`. */
const PREFIX = 'hot/'
const OWN_KEY = /^hot\/([0-9a-f-]{36})\/[0-9a-f-]{36}$/

/** An object of our own, or an open upload. */
export interface Stored {
  key: string
  fileId: string
  /** Null: the store does not tell. */
  sizeBytes: number | null
  storedAt: Date
}

/**
 * What the bucket holds under our own keys; anything else in there is nobody's business. For operators: no service
 * lists a bucket.
 */
export interface HotTierListing extends Disposable {
  objects(): AsyncIterable<Stored>
  uploads(): AsyncIterable<Stored>
}

export function openHotTierListing(config: HotTierConfig): HotTierListing {
  const { s3Bucket: Bucket } = config
  const client = createStoreClient(config)
  const { ask } = client
  return {
    [Symbol.dispose]: () => client[Symbol.dispose](),

    async *objects() {
      let ContinuationToken: string | undefined
      do {
        const page = await ask(new ListObjectsV2Command({ Bucket, Prefix: PREFIX, ContinuationToken }))
        for (const { Key, Size, LastModified } of page.Contents ?? []) yield* own(Key, Size, LastModified)
        ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined
      } while (ContinuationToken)
    },

    async *uploads() {
      let next: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } = {}
      do {
        const page = await ask(new ListMultipartUploadsCommand({ Bucket, Prefix: PREFIX, ...next }))
        for (const { Key, Initiated } of page.Uploads ?? []) yield* own(Key, undefined, Initiated)
        next = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : {}
      } while (next.KeyMarker)
    },
  }
}

/** What tells no time counts as made just now. */
function* own(key: string | undefined, sizeBytes: number | undefined, storedAt: Date | undefined): Generator<Stored> {
  const fileId = OWN_KEY.exec(key ?? '')?.[1]
  if (key && fileId) yield { key, fileId, sizeBytes: sizeBytes ?? null, storedAt: storedAt ?? new Date() }
}

import { isDeepStrictEqual } from 'node:util'
import { documentOf, elementsOf, textOf } from '@tideport/s3-client/response'
import type { HotTierConfig } from './store-calls.ts'
import { createStoreCalls, findCredentials, type StoreCalls } from './store-calls.ts'

/** All keys: `hot/<fileId>/<uuid>`. */
const PREFIX = 'hot/'
const OWN_KEY = /^hot\/([0-9a-f-]{36})\/[0-9a-f-]{36}$/

export interface Stored {
  key: string
  fileId: string
  /** Null: unknown. */
  sizeBytes: number | null
  storedAt: Date
}

/** The objects and uploads under the keys of files, for operators. Services never list a bucket. */
export interface HotTierListing extends Disposable {
  objects(): AsyncIterable<Stored>
  uploads(): AsyncIterable<Stored>
}

export function openHotTierListing(config: HotTierConfig): HotTierListing {
  const calls = createStoreCalls(config, findCredentials(config))
  return {
    [Symbol.dispose]: () => calls[Symbol.dispose](),

    async *objects() {
      for await (const object of listObjects(calls, PREFIX)) yield* own(object, 'LastModified')
    },

    async *uploads() {
      const first = { uploads: '', prefix: PREFIX }
      const next = (page: string) =>
        named({ 'key-marker': textOf(page, 'NextKeyMarker'), 'upload-id-marker': textOf(page, 'NextUploadIdMarker') })
      for await (const page of pages(calls, 'ListMultipartUploads', 'ListMultipartUploadsResult', { first, next })) {
        for (const upload of elementsOf(page, 'Upload')) yield* own(upload, 'Initiated')
      }
    },
  }
}

/** The keys of a bucket's objects with this prefix, in the order of the store. */
export async function* listKeys(
  config: HotTierConfig,
  prefix: string,
): AsyncGenerator<{ key: string; sizeBytes: number }> {
  using calls = createStoreCalls(config, findCredentials(config))
  for await (const object of listObjects(calls, prefix)) {
    yield { key: textOf(object, 'Key') ?? '', sizeBytes: Number(textOf(object, 'Size') ?? -1) }
  }
}

async function* listObjects(calls: Pick<StoreCalls, 'ask'>, prefix: string): AsyncGenerator<string> {
  const first = { 'list-type': '2', prefix }
  const next = (page: string) => named({ 'continuation-token': textOf(page, 'NextContinuationToken') })
  for await (const page of pages(calls, 'ListObjectsV2', 'ListBucketResult', { first, next })) {
    yield* elementsOf(page, 'Contents')
  }
}

type Query = Record<string, string>

async function* pages(
  { ask }: Pick<StoreCalls, 'ask'>,
  operation: string,
  root: string,
  { first, next }: { first: Query; next: (page: string) => Query },
) {
  let query: Query | null = first
  do {
    const request = { method: 'GET', query } as const
    const page: string = await ask(operation, request, { read: documentOf(root) })
    yield page
    const before = query
    query = textOf(page, 'IsTruncated') === 'true' ? { ...first, ...next(page) } : null
    if (query && isDeepStrictEqual(query, before)) throw new Error('The store repeats a page of a truncated list')
  } while (query)
}

/** Throws for a truncated page without a last name, because the listing would never finish. */
function named(query: Record<string, string | undefined>): Query {
  const entries = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []))
  if (entries.length === 0) throw new Error('The store truncated a list without a marker for the next page')
  return Object.fromEntries(entries)
}

/** Entries without a time are treated as new. */
function* own(element: string, time: 'LastModified' | 'Initiated'): Generator<Stored> {
  const key = textOf(element, 'Key') ?? ''
  const fileId = OWN_KEY.exec(key)?.[1]
  if (fileId === undefined) return
  const size = textOf(element, 'Size')
  const at = new Date(textOf(element, time) ?? Number.NaN)
  const storedAt = Number.isNaN(at.getTime()) ? new Date() : at
  yield { key, fileId, sizeBytes: size === undefined ? null : Number(size), storedAt }
}

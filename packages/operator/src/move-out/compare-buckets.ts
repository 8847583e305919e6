import { openHotTierListing, type Stored } from '@tideport/hot-tier/listing'
import type { HotTierConfig } from '@tideport/hot-tier/store-calls'

/** An object that only one bucket has, or that has another size in the other one. Null: missing. */
export interface Difference {
  key: string
  fileId: string
  from: number | null
  to: number | null
}

export interface Total {
  objects: number
  bytes: number
}

/** Compares the objects of files. Adds those that both buckets have to `same`. Keeps no list in memory. */
export async function* compareBuckets(
  from: HotTierConfig,
  to: HotTierConfig,
  same: Total,
): AsyncGenerator<Difference, void> {
  await using source = ascending(from)
  await using target = ascending(to)
  let [left, right] = [await source.next(), await target.next()]
  while (left !== null || right !== null) {
    const isLeft = left !== null && (right === null || left.key <= right.key)
    const isRight = right !== null && (left === null || right.key <= left.key)
    const { key, fileId } = (isLeft ? left : right) as Stored
    const [fromBytes, toBytes] = [isLeft ? sizeOf(left) : null, isRight ? sizeOf(right) : null]
    if (fromBytes !== toBytes) yield { key, fileId, from: fromBytes, to: toBytes }
    else {
      same.objects += 1
      same.bytes += fromBytes ?? 0
    }
    if (isLeft) left = await source.next()
    if (isRight) right = await target.next()
  }
}

const sizeOf = (object: Stored | null): number => object?.sizeBytes ?? -1

function ascending(config: HotTierConfig) {
  const listing = openHotTierListing(config)
  const objects = listing.objects()[Symbol.asyncIterator]()
  let last = ''
  return {
    async next(): Promise<Stored | null> {
      const { done, value } = await objects.next()
      if (done) return null
      if (value.key <= last)
        throw new Error(`The bucket ${config.s3Bucket} does not list its objects in the order of their keys`)
      last = value.key
      return value
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await objects.return?.()
      listing[Symbol.dispose]()
    },
  }
}

import { hash } from 'node:crypto'
import { type HotTier, openHotTier } from '@tideport/hot-tier/hot-tier'
import { listKeys } from '@tideport/hot-tier/listing'
import type { HotTierConfig } from '@tideport/hot-tier/store-calls'
import { PART_BYTES } from '@tideport/hot-tier/write-object'
import { notingFailure } from '../sealed.ts'
import type { BackupTarget } from './target.ts'

const mimeType = 'application/octet-stream'

/** A bucket, or the keys with a prefix in it. */
export function openBucketTarget(config: HotTierConfig, folder: string): BackupTarget {
  const bucket = openHotTier(config)
  const keyOf = (name: string) => (folder === '' ? name : `${folder}/${name}`)
  const start = keyOf('').length
  return {
    async put(name, bytes, signal) {
      const source = notingFailure(bytes)
      try {
        await explained(() => putObject(bucket, keyOf(name), source.bytes, signal))
      } catch (error) {
        throw source.failure() ?? error
      }
    },
    open: (name, signal) => explained(() => bucket.open(keyOf(name), undefined, signal)),
    remove: (name) => explained(() => bucket.remove(keyOf(name))),

    async *list(prefix) {
      let before = ''
      for await (const { key, sizeBytes } of listKeys(config, keyOf(prefix))) {
        if (key <= before) throw new Error('The store lists its keys in no order, so it cannot keep backups')
        before = key
        yield { name: key.slice(start), sizeBytes }
      }
    },

    async flush() {},
    async removeUnfinished() {},
    [Symbol.dispose]: () => bucket[Symbol.dispose](),
  }
}

/** A small blob takes one request. */
async function putObject(bucket: HotTier, key: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const iterator = bytes[Symbol.asyncIterator]()
  const pieces: Buffer[] = []
  let sizeBytes = 0
  while (sizeBytes <= PART_BYTES) {
    const next = await iterator.next()
    if (next.done) return await putSmall(bucket, key, { pieces, sizeBytes })
    pieces.push(Buffer.from(next.value))
    sizeBytes += next.value.length
  }
  const body = (async function* () {
    try {
      yield* pieces
      yield* { [Symbol.asyncIterator]: () => iterator }
    } finally {
      await iterator.return?.()
    }
  })()
  await bucket.store(key, { mimeType, body }, signal)
}

async function putSmall(bucket: HotTier, key: string, { pieces, sizeBytes }: { pieces: Buffer[]; sizeBytes: number }) {
  const whole = Buffer.concat(pieces)
  const put = () => bucket.putWhole(key, mimeType, { pieces: [whole], sizeBytes, sha256: hash('sha256', whole) })
  if ((await put()) === 'made') return
  await bucket.remove(key)
  await put()
}

/** The errors of the hot tier are for clients and lack the reason. */
async function explained<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    const { cause, message } = error as Error
    const reason = cause instanceof Error ? cause.message : message
    throw new Error(`The bucket of the backups cannot be used: ${reason}`, { cause: error })
  }
}

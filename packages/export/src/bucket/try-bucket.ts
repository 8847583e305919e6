import { text } from 'node:stream/consumers'
import { NetworkError } from '@tideport/storage-network/errors'
import type { Bucket } from '@tideport/storage-network/s3/bucket'
import { beginUpload } from '@tideport/storage-network/s3/multipart-upload'
import { getObject } from '@tideport/storage-network/s3/objects'
import { bytesOf } from '@tideport/storage-network/s3/staged-parts'
import { explainFailure } from './explain-failure.ts'

const TRIED = 'Tideport tests this bucket'

/**
 * Writes, reads, and deletes a small object as an export would. Returns null on success, otherwise a sentence with the
 * failure. Throws the reason of `signal`.
 */
export async function tryBucket(bucket: Bucket, folder: string, signal: AbortSignal): Promise<string | null> {
  const key = `${folder}tideport-test`
  const steps: [what: string, step: () => Promise<unknown>][] = [
    ['written', () => write(bucket, key, signal)],
    ['read', () => read(bucket, key, signal)],
    ['deleted', () => bucket.ask({ method: 'DELETE', key }, signal)],
  ]
  for (const [what, step] of steps) {
    try {
      await step()
    } catch (error) {
      signal.throwIfAborted()
      return `The test object could not be ${what}: ${explainFailure(error)}`
    }
  }
  return null
}

async function write(bucket: Bucket, key: string, signal: AbortSignal): Promise<void> {
  const upload = await beginUpload(bucket, key, { 'content-type': 'text/plain' }, signal)
  try {
    await upload.addPart(bytesOf([Buffer.from(TRIED)]), signal)
    await upload.complete(signal)
  } catch (error) {
    await upload.abort(AbortSignal.timeout(10_000)).catch(() => undefined)
    throw error
  }
}

async function read(bucket: Bucket, key: string, signal: AbortSignal): Promise<void> {
  const found = await getObject(bucket, { key, versionId: undefined }, signal)
  if (found?.sizeBytes === TRIED.length && (await text(found.body)) === TRIED) return
  found?.body.destroy()
  throw new NetworkError('integrity', 'it does not return the stored bytes')
}

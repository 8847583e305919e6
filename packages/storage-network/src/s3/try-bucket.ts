import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { NetworkError } from '../errors.ts'
import { CONTENT_PREFIX } from './keys.ts'
import { beginUpload } from './multipart-upload.ts'
import { getObject, putObject } from './objects.ts'
import { removeObject } from './remove-copy.ts'
import { bytesOf } from './staged-parts.ts'
import type { Store } from './store.ts'

const TRIED = 'Tideport tries this bucket'

/**
 * Does everything with a small object that a network does with copies, and leaves nothing behind. @throws NetworkError
 */
export async function tryBucket({ bucket }: Store, signal: AbortSignal): Promise<void> {
  const key = `${CONTENT_PREFIX}trial-${randomUUID()}`
  const upload = await beginUpload(bucket, key, {}, signal)
  await upload.addPart(bytesOf([Buffer.from(TRIED)]), signal)
  await upload.abort(signal)
  await putObject(bucket, key, bytesOf([Buffer.from(TRIED)]), {}, signal)
  try {
    const found = await getObject(bucket, { key, versionId: undefined }, signal, { start: 9, end: TRIED.length - 1 })
    if (found === null || (await text(found.body)) !== TRIED.slice(9)) {
      throw new NetworkError('copy_failed', 'the bucket does not give back what was stored in it')
    }
  } finally {
    await removeObject(bucket, key, signal)
  }
}

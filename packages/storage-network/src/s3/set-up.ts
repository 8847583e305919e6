import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { textOf } from '@tideport/s3-client/response'
import { acceptPlace, explained, type SetUp } from '../accept-place.ts'
import { NetworkError } from '../errors.ts'
import { CONTENT_PREFIX, contentOf } from './keys.ts'
import { listCopies } from './list-references.ts'
import { readMarker, writeMarker } from './marker.ts'
import { beginUpload } from './multipart-upload.ts'
import { getObject, headObject, orNull, putObject } from './objects.ts'
import { removeObject } from './remove-copy.ts'
import { bytesOf } from './staged-parts.ts'
import { openStore, type S3Settings, type Store } from './store.ts'

const DEADLINE_MS = 5 * 60_000

/** Tries and marks a bucket. @throws Error for the operator, NetworkError (`foreign`, `unreadable`) */
export async function setUpS3Network({
  remembered,
  acceptLostCopies,
  name,
  installationId,
  ...settings
}: SetUp & S3Settings) {
  const store = openStore(settings, { name, installationId })
  const signal = AbortSignal.timeout(DEADLINE_MS)
  const { bucket, endpoint = 'AWS' } = settings
  const what = `The bucket ${bucket} of the network ${name} (${endpoint})`
  const inBucket = <T>(call: () => Promise<T>) => explained(what, hintFor, call)
  const isMarked = await inBucket(() => readMarker(store.bucket, signal))
  if (isMarked) await store.owner.check(signal)
  else {
    await acceptPlace(
      { name, remembered, acceptLostCopies },
      {
        place: `the bucket ${bucket}`,
        question: 'Is it the correct bucket?',
        holds: async (copy) => (await headObject(store.bucket, contentOf(copy), signal)) !== null,
        holdsAny: async () => (await listCopies(store.bucket, 'b', signal).next()).done === false,
      },
    )
  }
  await assertLock(store, name, signal)
  await inBucket(() => tryBucket(store, signal))
  if (isMarked) return 'was_set_up' as const
  await writeMarker(store.bucket, { installation: await installationId(), network: name }, signal)
  return 'set_up' as const
}

/** A default retention rule would lock copies that must be removed, and test objects. */
async function assertLock({ bucket, settings }: Store, name: string, signal: AbortSignal): Promise<void> {
  const found = await orNull(bucket.ask({ method: 'GET', query: { 'object-lock': '' } }, signal)).catch(unlessRefused)
  const isEnabled = found !== null && textOf(found.body, 'ObjectLockEnabled') === 'Enabled'
  if (settings.lock && !isEnabled) {
    throw new Error(
      `The network ${name} must lock its copies, but the bucket ${settings.bucket} has no Object Lock. Most stores enable Object Lock only when a bucket is created.`,
    )
  }
  if (found && textOf(found.body, 'DefaultRetention') !== undefined) {
    throw new Error(
      `The bucket ${settings.bucket} has a default retention rule that locks every object. Remove the rule: the network ${name} sets its locks itself.`,
    )
  }
}

/** Stores without Object Lock report this in different ways. */
function unlessRefused(error: unknown): null {
  if (error instanceof NetworkError && error.code === 'copy_failed' && error.fault === undefined) return null
  throw error
}

function hintFor({ fault, message }: NetworkError): string {
  if (fault === 'missing') return 'Create the bucket first.'
  return /401|403/.test(message)
    ? 'Check its access key. The key must be allowed to list, read, write, and delete objects, and to open uploads.'
    : 'Check its endpoint and region, and whether this host can reach it.'
}

const TRIED = 'Tideport tries this bucket'

/** Tests all operations on copies with a small object. @throws NetworkError */
async function tryBucket({ bucket }: Store, signal: AbortSignal): Promise<void> {
  const key = `${CONTENT_PREFIX}trial-${randomUUID()}`
  const upload = await beginUpload(bucket, key, {}, signal)
  await upload.addPart(bytesOf([Buffer.from(TRIED)]), signal)
  await upload.abort(signal)
  await putObject(bucket, key, bytesOf([Buffer.from(TRIED)]), {}, signal)
  try {
    const found = await getObject(bucket, { key, versionId: undefined }, signal, { start: 9, end: TRIED.length - 1 })
    if (found === null || (await text(found.body)) !== TRIED.slice(9)) {
      throw new NetworkError('copy_failed', 'the bucket does not return the bytes that were stored in it')
    }
  } finally {
    await removeObject(bucket, key, signal)
  }
}

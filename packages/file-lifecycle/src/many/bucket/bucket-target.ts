import { lookingUpFor } from '@tideport/service-kit/outgoing/names'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Bucket } from '@tideport/storage-network/s3/bucket'
import { beginUpload } from '@tideport/storage-network/s3/multipart-upload'
import { headObject } from '@tideport/storage-network/s3/objects'
import { bytesOf } from '@tideport/storage-network/s3/staged-parts'
import type { ExportTarget, NewObject } from '../../records/export-target.ts'
import { type AccountJobRow, claimedAgain, writeJob } from '../account-job.ts'
import { type JobDeps, JobEnd, JobLost, JobTrouble } from '../advance-job.ts'
import { abortLeft } from './abort-left.ts'
import type { ExportBucket } from './bucket-request.ts'
import { explainFailure } from './explain-failure.ts'
import { inParts } from './in-parts.ts'
import { openJobsBucket } from './open-jobs-bucket.ts'
import { tryBucket } from './try-bucket.ts'

/** One object, of 256 MiB and some, at 150 kB/s. */
const OBJECT_MS = 30 * 60_000
const TRY_MS = 60_000
const ABORT_MS = 10_000

/**
 * An export's files as objects of a bucket of the account's. Each is a multipart upload, which is no object before it is
 * complete; whoever claims the job next aborts what is open before it begins, so that nobody who has lost the job
 * completes anything. Objects of a batch that was not committed are written again under the same name.
 */
export function bucketTarget(deps: JobDeps, job: AccountJobRow, where: ExportBucket): ExportTarget {
  const bucket = openJobsBucket(deps, job, where)
  const assertOurs = async () => {
    if ((await writeJob(deps.db, job, claimedAgain)) === null) throw new JobLost('The job is not ours any more')
  }
  return {
    prepare: (signal) =>
      lookingUpFor.run(job.accountId, async () => {
        if (job.progress === null) await assertUsable(bucket, where, signal)
        await told(signal, () => abortLeft(bucket, where, signal))
      }),
    write: (object, body, signal) =>
      lookingUpFor.run(job.accountId, async () => {
        await writeObject({ bucket, assertOurs, folder: where.folder }, object, body, signal)
        // It is there for good; the next turn writes over what does not count.
        return { keep: async () => undefined, drop: async () => undefined }
      }),
    [Symbol.dispose]: () => bucket[Symbol.dispose](),
  }
}

/** Whoever has mistyped something is told at once. */
async function assertUsable(bucket: Bucket, { folder }: ExportBucket, signal: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(TRY_MS)
  const fault = await tryBucket(bucket, folder, AbortSignal.any([signal, late])).catch((error: unknown) => {
    signal.throwIfAborted()
    if (late.aborted) return 'The endpoint did not answer in time'
    throw error
  })
  if (fault !== null) throw new JobEnd('bucket_failed', fault)
}

interface Writing {
  bucket: Bucket
  assertOurs: () => Promise<void>
  folder: string
}

async function writeObject(
  { bucket, assertOurs, folder }: Writing,
  { name, mimeType, sizeBytes }: NewObject,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const key = `${folder}${name}`
  const late = AbortSignal.timeout(OBJECT_MS)
  const sending = AbortSignal.any([signal, late])
  const call = <T>(work: () => Promise<T>) => told(signal, work, late)
  await assertOurs()
  const upload = await call(() => beginUpload(bucket, key, { 'content-type': mimeType }, sending))
  try {
    await failpoint('export.upload-begun')
    for await (const pieces of inParts(body)) {
      await call(() => upload.addPart(bytesOf(pieces), sending))
      await failpoint('export.part-sent')
    }
    await assertOurs()
    await call(() => upload.complete(sending))
  } catch (error) {
    await upload.abort(AbortSignal.timeout(ABORT_MS)).catch(() => undefined)
    throw error
  }
  await failpoint('export.object-complete')
  const stored = await call(() => headObject(bucket, { key, versionId: undefined }, sending))
  if (stored?.sizeBytes !== sizeBytes) {
    throw new JobTrouble('bucket_failed', 'The bucket does not have the object that was written to it')
  }
}

/** What a call to the bucket throws, as a sentence for its owner; neither cause nor addresses come into logs with it. */
async function told<T>(signal: AbortSignal, call: () => Promise<T>, late?: AbortSignal): Promise<T> {
  try {
    return await call()
  } catch (error) {
    signal.throwIfAborted()
    // It would not be quicker the next time, and has held up others for long enough.
    if (late?.aborted) throw new JobEnd('bucket_failed', 'The bucket takes objects too slowly')
    throw new JobTrouble('bucket_failed', explainFailure(error))
  }
}

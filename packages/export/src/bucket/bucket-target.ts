import { type AccountJobRow, claimedAgain, writeJob } from '@tideport/bulk-jobs/jobs/account-job'
import { JobEnd, JobLost, JobTrouble } from '@tideport/bulk-jobs/jobs/job-kind'
import { lookingUpFor } from '@tideport/service-kit/outgoing/dns-resolver'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Bucket } from '@tideport/storage-network/s3/bucket'
import { beginUpload } from '@tideport/storage-network/s3/multipart-upload'
import { headObject } from '@tideport/storage-network/s3/objects'
import { bytesOf } from '@tideport/storage-network/s3/staged-parts'
import type { ExportTarget, NewObject } from '../records/export-target.ts'
import type { ExportBucket } from './bucket-request.ts'
import { explainFailure } from './explain-failure.ts'
import type { ExportDeps } from './export-buckets.ts'
import { abortLeft, openJobsBucket } from './open-jobs-bucket.ts'
import { tryBucket } from './try-bucket.ts'

const ABORT_MS = 10_000

/**
 * Writes an export to a bucket of the account, each object as a multipart upload. The next claim first aborts open
 * uploads, so a process that lost the job cannot complete an object. An uncommitted batch is written again under the
 * same names. All calls of a batch share one time limit.
 */
export function bucketTarget(
  deps: ExportDeps,
  job: AccountJobRow,
  where: ExportBucket,
  { isSlow }: { isSlow: boolean },
): ExportTarget {
  const bucket = openJobsBucket(deps, job, where)
  const call = patience(deps.exportBuckets?.patienceMs[isSlow ? 'slow' : 'quick'] ?? 0)
  const assertOurs = async () => {
    if ((await writeJob(deps.db, job, claimedAgain)) === null) throw new JobLost('Another process has claimed the job')
  }
  return {
    prepare: (signal) =>
      lookingUpFor.run(job.accountId, async () => {
        const fault =
          job.progress === null ? await call(signal, (ending) => tryBucket(bucket, where.folder, ending)) : null
        // Reports wrong settings immediately.
        if (fault !== null) throw new JobEnd('bucket_failed', fault)
        await call(signal, (ending) => abortLeft(bucket, where, ending))
      }),
    write: (object, body, signal) =>
      lookingUpFor.run(job.accountId, async () => {
        await writeObject({ bucket, call, assertOurs, folder: where.folder }, object, body, signal)
        // The object exists. If the batch is not committed, the next turn overwrites it.
        return { keep: async () => undefined, drop: async () => undefined }
      }),
    [Symbol.dispose]: () => bucket[Symbol.dispose](),
  }
}

interface Writing {
  bucket: Bucket
  call: PatientCall
  assertOurs: () => Promise<void>
  folder: string
}

async function writeObject(
  { bucket, call, assertOurs, folder }: Writing,
  { name, mimeType, sizeBytes }: NewObject,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const key = `${folder}${name}`
  await assertOurs()
  const upload = await call(signal, (ending) => beginUpload(bucket, key, { 'content-type': mimeType }, ending))
  try {
    await failpoint('export.upload-begun')
    for await (const pieces of inParts(body)) {
      await call(signal, (ending) => upload.addPart(bytesOf(pieces), ending))
      await failpoint('export.part-sent')
    }
    await assertOurs()
    await call(signal, (ending) => upload.complete(ending))
  } catch (error) {
    await upload.abort(AbortSignal.timeout(ABORT_MS)).catch(() => undefined)
    throw error
  }
  await failpoint('export.object-complete')
  const stored = await call(signal, (ending) => headObject(bucket, { key, versionId: undefined }, ending))
  if (stored?.sizeBytes !== sizeBytes) {
    throw new JobTrouble('bucket_failed', 'The bucket does not have the object that the export wrote')
  }
}

/** Ten thousand parts exceed the largest file. */
const PART_BYTES = 8 * 1024 ** 2

/** All parts except the last have the same length, as some stores require. A part stays in memory until it is sent. */
async function* inParts(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer[]> {
  let pieces: Buffer[] = []
  let room = PART_BYTES
  for await (const chunk of body) {
    for (let from = 0; from < chunk.length; ) {
      const piece = chunk.subarray(from, from + room)
      pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length))
      from += piece.length
      room -= piece.length
      if (room > 0) continue
      yield pieces
      pieces = []
      room = PART_BYTES
    }
  }
  if (pieces.length > 0) yield pieces
}

/** The call is aborted with its signal. */
type PatientCall = <T>(signal: AbortSignal, call: (ending: AbortSignal) => Promise<T>) => Promise<T>

/**
 * Limits the total time of calls to a bucket, without pauses between them. Throws the reason of `signal`, or
 * `JobTrouble` with a sentence for the owner, without cause or address.
 */
function patience(totalMs: number): PatientCall {
  let leftMs = totalMs
  return async (signal, call) => {
    const began = performance.now()
    const late = AbortSignal.timeout(Math.max(0, Math.ceil(leftMs)))
    try {
      return await call(AbortSignal.any([signal, late]))
    } catch (error) {
      signal.throwIfAborted()
      throw new JobTrouble('bucket_failed', late.aborted ? 'The bucket is too slow' : explainFailure(error))
    } finally {
      leftMs -= performance.now() - began
    }
  }
}

import { JobTrouble } from '@tideport/bulk-jobs/jobs/advance-job'
import { explainFailure } from './explain-failure.ts'

/** Makes one call to a bucket, which ends with the signal that it is given. */
export type PatientCall = <T>(signal: AbortSignal, call: (ending: AbortSignal) => Promise<T>) => Promise<T>

/**
 * Calls to a bucket that may take so long together; what goes by between them is not the bucket's. Throws the reason of `signal`,
 * and `JobTrouble` with a sentence for the bucket's owner: neither cause nor addresses come into logs with it.
 */
export function patience(totalMs: number): PatientCall {
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

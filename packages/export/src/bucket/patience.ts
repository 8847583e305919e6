import { JobTrouble } from '@tideport/bulk-jobs/jobs/advance-job'
import { explainFailure } from './explain-failure.ts'

/** The call ends with its signal. */
export type PatientCall = <T>(signal: AbortSignal, call: (ending: AbortSignal) => Promise<T>) => Promise<T>

/**
 * Limits the total time of calls to a bucket, without pauses between them. Throws the reason of `signal`, or
 * `JobTrouble` with a sentence for the owner, without cause or address.
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

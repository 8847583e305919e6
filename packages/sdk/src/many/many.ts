import type { Call } from '../client/call.ts'
import type { Client } from '../client/create-client.ts'
import {
  cancelJob,
  copyFiles,
  deleteFiles,
  moveFiles,
  publishFiles,
  restoreFiles,
  trashFiles,
} from '../generated/calls.ts'
import type {
  CopyFilesInput,
  DeleteFilesInput,
  FileResult,
  ManyFiles,
  MoveFilesInput,
  PublishFilesInput,
  RestoreFilesInput,
  TrashFilesInput,
} from '../generated/shapes.ts'
import { waitForJob } from './follow-job.ts'

/** Selects files by any number of `ids`, or by the path `prefix`. */
export type Many<I> = Omit<I, 'ids'> & { ids?: Iterable<string> | AsyncIterable<string> | undefined }

export interface ManyOptions {
  /** Also cancels running jobs. Completed work stays. */
  signal?: AbortSignal | undefined
  onProgress?: ((soFar: { done: number; failed: number }) => void) | undefined
}

export interface ManyOutcome {
  done: number
  /** Unchanged files. */
  failed: number
  /** Reasons for failed files; of a job, only the first 100. */
  failures: { fileId: string; code: NonNullable<FileResult['code']> }[]
}

/** Maximum of one request. */
const IDS_MAX = 1000

/**
 * Repeats the call until all files are done: sends 1,000 IDs per request, and waits for jobs. Rejects with the errors
 * of a call, a `JobFailedError`, or the signal's reason.
 */
export type ManyCall<I> = (client: Client, input: Many<I>, options?: ManyOptions) => Promise<ManyOutcome>

/** Moves files to a folder, or a folder with its contents. */
export const moveMany: ManyCall<MoveFilesInput> = /* @__PURE__ */ many(moveFiles)
/** Creates independent copies. */
export const copyMany: ManyCall<CopyFilesInput> = /* @__PURE__ */ many(copyFiles)
/** Moves files to the trash. */
export const trashMany: ManyCall<TrashFilesInput> = /* @__PURE__ */ many(trashFiles)
/** Restores files from the trash. */
export const restoreMany: ManyCall<RestoreFilesInput> = /* @__PURE__ */ many(restoreFiles)
/** Publishes received files that await review. */
export const publishMany: ManyCall<PublishFilesInput> = /* @__PURE__ */ many(publishFiles)
/** Deletes files permanently. */
export const deleteMany: ManyCall<DeleteFilesInput> = /* @__PURE__ */ many(deleteFiles)

function many<I extends { ids?: string[] | undefined }>(ask: Call<I, ManyFiles>): ManyCall<I> {
  return async (client, { ids, ...input }, options = {}) => {
    const { signal, onProgress } = options
    const outcome: ManyOutcome = { done: 0, failed: 0, failures: [] }
    const tell = (part: Omit<ManyOutcome, 'failures'>) =>
      onProgress?.({ done: outcome.done + part.done, failed: outcome.failed + part.failed })
    for await (const some of ids === undefined ? [undefined] : thousands(ids)) {
      const asked = (some ? { ...input, ids: some } : input) as unknown as I
      const part = await outcomeOf(client, await (ask as Asking<I>)(client, asked, { signal }), signal, tell)
      outcome.done += part.done
      outcome.failed += part.failed
      outcome.failures.push(...part.failures)
      tell({ done: 0, failed: 0 })
    }
    return outcome
  }
}

type Asking<I> = (client: Client, input: I, options: { signal?: AbortSignal | undefined }) => Promise<ManyFiles>

async function outcomeOf(
  client: Client,
  { results, job }: ManyFiles,
  signal: AbortSignal | undefined,
  onProgress: (part: { done: number; failed: number }) => void,
): Promise<ManyOutcome> {
  if (job) {
    try {
      return await waitForJob(client, job, { signal, onProgress })
    } catch (error) {
      if (signal?.aborted)
        await cancelJob({ ...client, attempts: 1 }, { jobId: job.id }, { timeoutMs: 5000 }).catch(() => {})
      throw error
    }
  }
  const failures = (results ?? []).flatMap(({ fileId, code }) => (code === null ? [] : [{ fileId, code }]))
  return { done: (results ?? []).length - failures.length, failed: failures.length, failures }
}

async function* thousands(ids: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string[]> {
  let some: string[] = []
  for await (const id of ids) {
    some.push(id)
    if (some.length < IDS_MAX) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}

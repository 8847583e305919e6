import type { Client } from '../client/create-client.ts'
import { pause } from '../client/pause.ts'
import { readJob } from '../generated/calls.ts'
import type { Job } from '../generated/shapes.ts'

/** The awaited job failed permanently or was cancelled. Its completed work stays. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError'
  readonly job: Job

  constructor(job: Job) {
    super(job.error ?? (job.state === 'cancelled' ? 'The job was cancelled' : 'The job failed permanently'))
    this.job = job
  }
}

export interface FollowJobOptions {
  /** Stops following; the job continues. To cancel the job, use `cancelJob`. */
  signal?: AbortSignal | undefined
}

/** Yields the job now and after each progress, until it is `done`, `failed`, or `cancelled`. */
export async function* followJob(
  client: Client,
  job: string | { id: string },
  { signal }: FollowJobOptions = {},
): AsyncGenerator<Job> {
  const jobId = typeof job === 'string' ? job : job.id
  let told = ''
  for (let everyMs = 250; ; everyMs = Math.min(5000, everyMs * 1.3)) {
    const now = await readJob(client, { jobId }, { signal })
    const seen = JSON.stringify(now)
    if (seen !== told) yield now
    told = seen
    if (isOver(now)) return
    await pause(everyMs, signal)
  }
}

/**
 * Returns the job when it is `done`, even with failed files. Rejects with a `JobFailedError` if it is `failed` or
 * `cancelled`.
 */
export async function waitForJob(
  client: Client,
  job: string | { id: string },
  { onProgress, ...options }: FollowJobOptions & { onProgress?: ((job: Job) => void) | undefined } = {},
): Promise<Job> {
  for await (const now of followJob(client, job, options)) {
    onProgress?.(now)
    if (now.state === 'done') return now
    if (isOver(now)) throw new JobFailedError(now)
  }
  throw new TypeError('The job is not finished')
}

const isOver = ({ state }: Job) => state === 'done' || state === 'failed' || state === 'cancelled'

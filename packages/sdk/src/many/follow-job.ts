import type { Client } from '../client/create-client.ts'
import { pause } from '../client/pause.ts'
import { readJob } from '../generated/calls.ts'
import type { Job } from '../generated/shapes.ts'

/** A job that was waited for was given up or cancelled; what it had done stays done. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError'
  readonly job: Job

  constructor(job: Job) {
    super(job.error ?? (job.state === 'cancelled' ? 'The job was cancelled' : 'The job failed permanently'))
    this.job = job
  }
}

export interface FollowJobOptions {
  /** Ends the following; the job goes on. `cancelJob` ends the job. */
  signal?: AbortSignal | undefined
}

/** A job as it is now, and again whenever it has come further, until it is over: `done`, `failed` or `cancelled`. */
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

/** The job once it is done, whatever it had to leave. Rejects with a `JobFailedError` when it is given up or cancelled. */
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

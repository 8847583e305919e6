import { type Client, type Job, readJob } from '@tideport/sdk'
import { pause } from '../transfer/pause.ts'

/** A job once it is over; throws the sentence of one that was given up or cancelled. */
export async function waitForJob(
  client: Client,
  jobId: string,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (job: Job) => void },
): Promise<Job> {
  for (let everyMs = 250; ; everyMs = Math.min(5000, everyMs * 1.3)) {
    const job = await readJob(client, { jobId }, { signal })
    onProgress(job)
    if (job.state === 'done') return job
    if (job.finishedAt !== null) throw new Error(job.error ?? `The job was ${job.state}`)
    await pause(everyMs, signal)
  }
}

import { signal } from '@preact/signals'
import { cancelJob, type Job, readJob } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { isOutage } from '../api/is-outage.ts'
import { toast, toastError } from '../app/toasts.ts'
import { text } from '../text/text.ts'

/** A job that is under way, as it was last heard of. */
export interface WatchedJob {
  job: Job
  /** What is said when it is done. */
  done: string
}

const everyMs = 1_000
const patienceMs = 10_000

export const jobs = signal<readonly WatchedJob[]>([])

/** Shows how far a job is until it is over; `onChange` whenever it has changed files. It goes on without us. */
export function watchJob(job: Job, done: string, onChange: () => void): void {
  jobs.value = [...jobs.value, { job, done }]
  void follow(job, done, onChange)
}

async function follow(first: Job, done: string, onChange: () => void): Promise<void> {
  let job = first
  while (!isOver(job)) {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    try {
      const now = await readJob(client(), { jobId: job.id }, { timeoutMs: patienceMs })
      if (now.done !== job.done) onChange()
      job = now
      jobs.value = jobs.value.map((one) => (one.job.id === job.id ? { ...one, job } : one))
    } catch (error) {
      // It goes on whether or not we hear of it.
      if (isOutage(error)) continue
      forget(first.id)
      return toastError(error)
    }
  }
  forget(job.id)
  onChange()
  tell(job, done)
}

function tell({ state, failed, error }: Job, done: string): void {
  const t = text.value.underWay
  if (state === 'cancelled') toast(t.cancelled)
  else if (state === 'failed') toastError(new Error(error ?? t.failed))
  else toast(failed > 0 ? `${done}. ${t.left(failed)}` : done)
}

const isOver = ({ state }: Job): boolean => state !== 'queued' && state !== 'running'

const forget = (id: string): void => {
  jobs.value = jobs.value.filter(({ job }) => job.id !== id)
}

export async function cancel(id: string): Promise<void> {
  await cancelJob(client(), { jobId: id }).catch(toastError)
}

import { effect, signal } from '@preact/signals'
import { cancelJob, type Job, readJob } from '@tideport/sdk'
import { client } from '../api/client.ts'
import { isOutage } from '../api/is-outage.ts'
import { type Toast, toast, toastError, toastFailure } from '../api/toasts.ts'
import { session } from '../session/session.ts'
import { describeRefusal } from '../text/describe-refusal.ts'
import { text } from '../text/text.ts'

export interface Told {
  done: string
  action?: Toast['action']
}

const everyMs = 1_000
const patienceMs = 10_000

export const jobs = signal<readonly Job[]>([])

effect(() => {
  if (session.value === null) jobs.value = []
})

/** Shows the progress of jobs, and a notice at the end. `onChange` is called when files have changed. */
export async function watchJobs(started: readonly Job[], onChange: () => void, told: Told): Promise<void> {
  jobs.value = [...jobs.value, ...started]
  const ended = await Promise.all(started.map((job) => follow(job, onChange)))
  tell(
    ended.filter((job) => job !== null),
    told,
  )
}

/** The job in its final state; null when it is unknown or the user has signed out. */
async function follow(first: Job, onChange: () => void): Promise<Job | null> {
  let job = first
  while (!isOver(job)) {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    if (!jobs.value.some(({ id }) => id === first.id)) return null
    try {
      const now = await readJob(client(), { jobId: job.id }, { timeoutMs: patienceMs })
      if (now.done !== job.done) onChange()
      job = now
      jobs.value = jobs.value.map((one) => (one.id === job.id ? job : one))
    } catch (error) {
      // The job continues on the service.
      if (isOutage(error)) continue
      forget(first.id)
      toastError(error)
      return null
    }
  }
  forget(job.id)
  onChange()
  return job
}

function tell(ended: readonly Job[], { done, action }: Told): void {
  const t = text.value.underWay
  const broken = ended.find(({ state }) => state === 'failed')
  const left = ended.reduce((sum, { failed }) => sum + failed, 0)
  if (broken !== undefined)
    toastFailure(broken.error === null ? t.failed : describeRefusal(broken.errorCode, broken.error))
  else if (ended.some(({ state }) => state === 'cancelled')) toast(t.cancelled)
  else if (ended.length > 0) toast(left > 0 ? `${done}. ${text.value.files.leftAsTheyWere(left)}` : done, action)
}

const isOver = ({ state }: Job): boolean => state !== 'queued' && state !== 'running'

const forget = (id: string): void => {
  jobs.value = jobs.value.filter((job) => job.id !== id)
}

export async function cancel(id: string): Promise<void> {
  await cancelJob(client(), { jobId: id }).catch(toastError)
}

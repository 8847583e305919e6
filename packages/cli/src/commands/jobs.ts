import { cancelJob, listJobs, readJob } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { connect } from '../profile/connect.ts'
import { isOver, lineOfJob, tellJob, watchJob } from '../remote/run-job.ts'

const id = { id: { summary: 'ID of the job' } } as const

export const jobs = command({
  name: 'jobs',
  summary: 'List jobs, newest first',
  options: { running: { type: 'boolean', summary: 'Only unfinished jobs' } },
  async run({ running }, context) {
    const { output, signal } = context
    for await (const job of listJobs(await connect(context), { limit: 100 }, { signal })) {
      if (!(running && isOver(job))) await output.result(job, lineOfJob(job))
    }
  },
})

export const jobsShow = command({
  name: 'jobs show',
  summary: 'Show the progress and the failures of a job',
  arguments: id,
  async run({ id: jobId }, context) {
    const { output, signal } = context
    const job = await readJob(await connect(context), { jobId }, { signal })
    const failures = job.failures.map(({ path, code }) => `  ${path}: ${code}`)
    await output.result(job, [lineOfJob(job), ...failures])
  },
})

export const jobsCancel = command({
  name: 'jobs cancel',
  summary: 'Cancel a job; completed work is kept',
  arguments: id,
  async run({ id: jobId }, context) {
    const job = await cancelJob(await connect(context), { jobId }, { signal: context.signal })
    await context.output.result(job, lineOfJob(job))
  },
})

export const jobsWait = command({
  name: 'jobs wait',
  summary: 'Wait for a job, and exit with its result',
  arguments: id,
  async run({ id: jobId }, context) {
    const client = await connect(context)
    const job = await readJob(client, { jobId }, { signal: context.signal })
    await tellJob(await watchJob(client, job, context, { cancels: false }), context)
  },
})

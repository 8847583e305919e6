import { type Client, cancelJob, followJob, type Job, type ManyFiles } from '@tideport/sdk'
import type { Context } from '../grammar/context.ts'
import { formatCount } from '../terminal/amounts.ts'
import { Cancelled, PartlyFailed, tellFailure } from '../terminal/failures.ts'
import type { Output } from '../terminal/output.ts'
import { showCount } from '../terminal/progress.ts'

/**
 * Returns the number of files. Ctrl-C cancels the job, so `begun` has no signal: its ID must arrive. Rejects with a
 * `PartlyFailed` if files were skipped.
 */
export async function runJob(client: Client, begun: Promise<ManyFiles>, context: Context): Promise<number> {
  const { job } = await begun
  if (!job) throw new Error('The service started no job')
  const over = await watchJob(client, job, context, { cancels: true })
  const isNothing = over.state === 'done' && over.done + over.failed === 0
  if (!isNothing) await tellJob(over, context)
  return over.done
}

export async function runJobOf(client: Client, begun: Promise<ManyFiles>, folder: string, context: Context) {
  if ((await runJob(client, begun, context)) === 0) throw new Error(`No file or folder found at ${folder}`)
}

/**
 * Polls a job until it is finished and shows its progress. A stop cancels the job if `cancels`, otherwise only the
 * wait.
 */
export async function watchJob(
  client: Client,
  job: Job,
  { output, signal }: Context,
  { cancels }: { cancels: boolean },
): Promise<Job> {
  const count = showCount(output)
  let last = job
  try {
    for await (const now of followJob(client, job, { signal })) {
      last = now
      count.show(`${now.state}: ${now.done.toLocaleString('en')} files so far`)
    }
    return last
  } catch (error) {
    if (!signal.aborted || !cancels) throw error
    throw new Cancelled(await lastWord(client, job, output, isMeant(signal.reason)))
  } finally {
    count.end()
  }
}

const isMeant = (reason: unknown) => reason instanceof Cancelled && reason.isMeant

async function lastWord(client: Client, { id }: Job, output: Output, isCancelled: boolean): Promise<string> {
  const goesOn = `Job ${id} continues. To wait for it, run \`tideport jobs wait ${id}\`; to cancel it, run \`tideport jobs cancel ${id}\``
  if (!isCancelled) return goesOn
  output.remark(`Cancelling job ${id}`)
  try {
    const { state, done } = await cancelJob(client, { jobId: id }, { signal: AbortSignal.timeout(10_000) })
    return `Stopped: job ${id} is ${state}, after ${formatCount(done, 'file')}`
  } catch {
    return `The job could not be cancelled now. ${goesOn}`
  }
}

export async function tellJob(job: Job, { output }: Context): Promise<void> {
  const { id, state, done, failed, failures, error } = job
  if (output.json) await output.result(job, '')
  else {
    for (const { fileId, path, code } of failures) await tellFailure(output, { fileId, path }, path, new Error(code))
    await output.result(job, lineOfJob(job))
  }
  if (state === 'failed') throw new Error(error ?? `Job ${id} failed permanently`)
  if (state === 'cancelled') throw new Cancelled(`Job ${id} was cancelled`)
  if (failed > 0) throw new PartlyFailed(failed, done, 'files')
}

export const isOver = ({ state }: Job): boolean => state !== 'queued' && state !== 'running'

export const lineOfJob = ({ id, kind, state, done, failed, prefix, to }: Job): string =>
  `${id}  ${kind.padEnd(7)}  ${state.padEnd(9)}  ${done} done, ${failed} failed  ${prefix ?? ''}${to === null ? '' : ` → ${to || '/'}`}`

import { type ExportTarget, exportAccount } from '@tideport/sdk'
import type { Context } from '../grammar/context.ts'
import { connect } from '../profile/connect.ts'
import { formatCount } from '../terminal/amounts.ts'
import { Cancelled } from '../terminal/failures.ts'
import { watchJob } from './run-job.ts'

/** Has the service write an export to a bucket, and waits for it; Ctrl-C cancels it. */
export async function exportToBucket(target: ExportTarget, context: Context): Promise<void> {
  const { output } = context
  const client = await connect(context)
  const job = await watchJob(client, await exportAccount(client, { target }), context, { cancels: true })
  if (job.state === 'cancelled') throw new Cancelled(`Job ${job.id} was cancelled`)
  if (job.state !== 'done') throw new Error(job.error ?? `The export was ${job.state}`)
  for (const { path, code } of job.failures) output.complaint(`${path}: ${code}`)
  const told = { to: job.to, jobId: job.id, files: job.done, lost: job.failed }
  await output.result(told, `${formatCount(job.done, 'file')} exported to ${job.to}`)
  if (job.failed > 0) throw new Error(`${formatCount(job.failed, 'file')} could not be exported`)
}

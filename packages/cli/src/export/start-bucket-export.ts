import { type ExportTarget, exportAccount } from '@tideport/sdk'
import type { Context } from '../grammar/context.ts'
import { connect } from '../profile/connect.ts'
import { watchJob } from '../remote/run-job.ts'
import { formatCount } from '../terminal/amounts.ts'
import { Cancelled, UsageError } from '../terminal/failures.ts'

export const bucketOptions = {
  toBucket: {
    type: 'string',
    value: 'URL',
    summary: 'Bucket that the service writes to: s3://BUCKET or s3://BUCKET/PREFIX',
  },
  endpoint: { type: 'string', value: 'URL', summary: 'S3 endpoint, https://… (default: AWS)' },
  region: { type: 'string', value: 'REGION', summary: 'Region of the bucket (default: us-east-1)' },
} as const

const CREDENTIALS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const

interface Given {
  toBucket: string
  endpoint?: string | undefined
  region?: string | undefined
}

/**
 * Starts the export of the account to a bucket and waits for the job. Ctrl-C cancels the job. Throws a `UsageError`.
 */
export async function exportToBucket(bucket: Given, context: Context): Promise<void> {
  const { output } = context
  const target = bucketTarget(bucket, context)
  const client = await connect(context)
  const job = await watchJob(client, await exportAccount(client, { target }), context, { cancels: true })
  if (job.state === 'cancelled') throw new Cancelled(`Job ${job.id} was cancelled`)
  if (job.state !== 'done') throw new Error(job.error ?? `The export is ${job.state}`)
  for (const { path, code } of job.failures) output.complaint(`${path}: ${code}`)
  const told = { to: job.to, jobId: job.id, files: job.done, lost: job.failed }
  await output.result(told, `${formatCount(job.done, 'file')} exported to ${job.to}`)
  if (job.failed > 0) throw new Error(`${formatCount(job.failed, 'file')} could not be exported`)
}

/**
 * The bucket, with credentials from the environment, where other users of the machine cannot see them. Throws a
 * `UsageError`.
 */
function bucketTarget({ toBucket, endpoint, region }: Given, { environment }: Context): ExportTarget {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(toBucket) ?? []
  if (bucket === undefined) throw new UsageError(`"${toBucket}" is not a bucket. Use s3://BUCKET or s3://BUCKET/PREFIX`)
  const [accessKeyId, secretAccessKey, sessionToken] = CREDENTIALS.map((name) => environment[name])
  if (!accessKeyId || !secretAccessKey)
    throw new UsageError('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to the credentials of the bucket')
  return {
    ...{ type: 's3', bucket, prefix, accessKeyId, secretAccessKey },
    ...(endpoint && { endpoint }),
    ...(region && { region }),
    ...(sessionToken && { sessionToken }),
  }
}

import type { ExportTarget } from '@tideport/sdk'
import type { Context } from '../grammar/context.ts'
import { UsageError } from '../terminal/failures.ts'

export const bucketOptions = {
  toBucket: {
    type: 'string',
    value: 'URL',
    summary: 'To a bucket of yours, s3://BUCKET or s3://BUCKET/PREFIX, which the service writes to by itself',
  },
  endpoint: { type: 'string', value: 'URL', summary: 'Where the bucket is, https://…; AWS unless given' },
  region: { type: 'string', value: 'REGION', summary: 'Its region; us-east-1 unless given' },
} as const

const CREDENTIALS = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const

interface Given {
  toBucket: string
  endpoint?: string | undefined
  region?: string | undefined
}

/** A bucket, with credentials of the environment, where other users of the machine see none of them. Throws a `UsageError`. */
export function bucketTarget({ toBucket, endpoint, region }: Given, { environment }: Context): ExportTarget {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(toBucket) ?? []
  if (bucket === undefined) throw new UsageError(`"${toBucket}" is not s3://BUCKET/PREFIX`)
  const [accessKeyId, secretAccessKey, sessionToken] = CREDENTIALS.map((name) => environment[name])
  if (!accessKeyId || !secretAccessKey)
    throw new UsageError('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to credentials of the bucket')
  return {
    ...{ type: 's3', bucket, prefix, accessKeyId, secretAccessKey },
    ...(endpoint && { endpoint }),
    ...(region && { region }),
    ...(sessionToken && { sessionToken }),
  }
}

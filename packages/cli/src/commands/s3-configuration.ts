import { type Client, type CreatedApiKey, readSignIn } from '@tideport/sdk'

export const s3Formats = ['env', 'aws', 'rclone'] as const
export type S3Format = (typeof s3Formats)[number]

/** The endpoint as clients reach it, or null if this installation does not offer the S3 API. */
export async function readS3Api(client: Client, signal: AbortSignal) {
  return (await readSignIn(client, {}, { signal })).s3Api
}

type S3Api = NonNullable<Awaited<ReturnType<typeof readS3Api>>>

/** Path style works with every endpoint. Bucket names before the host need wildcard DNS and certificates. */
export function s3Configuration(
  format: S3Format,
  { url, region }: S3Api,
  key: NonNullable<CreatedApiKey['s3']>,
): string[] {
  const { accessKeyId, secretAccessKey } = key
  const lines = {
    env: [
      `AWS_ACCESS_KEY_ID=${accessKeyId}`,
      `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`,
      `AWS_ENDPOINT_URL=${url}`,
      `AWS_REGION=${region}`,
    ],
    aws: [
      '[profile tideport]',
      `aws_access_key_id = ${accessKeyId}`,
      `aws_secret_access_key = ${secretAccessKey}`,
      `endpoint_url = ${url}`,
      `region = ${region}`,
      's3 =',
      '  addressing_style = path',
    ],
    rclone: [
      '[tideport]',
      'type = s3',
      'provider = Other',
      `access_key_id = ${accessKeyId}`,
      `secret_access_key = ${secretAccessKey}`,
      `endpoint = ${url}`,
      `region = ${region}`,
    ],
  }
  return lines[format]
}

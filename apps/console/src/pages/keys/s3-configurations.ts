import type { CreatedApiKey, SignIn } from '@tideport/sdk'

type S3Api = NonNullable<SignIn['s3Api']>
type S3Credentials = NonNullable<CreatedApiKey['s3']>

/** By tool. Path style works with every endpoint: bucket names before the host need wildcard DNS and certificates. */
export function s3Configurations({ url, region }: S3Api, { accessKeyId, secretAccessKey }: S3Credentials) {
  return {
    rclone: `[tideport]
type = s3
provider = Other
access_key_id = ${accessKeyId}
secret_access_key = ${secretAccessKey}
endpoint = ${url}
region = ${region}`,
    'aws-cli': `[profile tideport]
aws_access_key_id = ${accessKeyId}
aws_secret_access_key = ${secretAccessKey}
endpoint_url = ${url}
region = ${region}
s3 =
  addressing_style = path`,
    boto3: `import boto3
from botocore.config import Config

s3 = boto3.client(
    "s3",
    endpoint_url="${url}",
    region_name="${region}",
    aws_access_key_id="${accessKeyId}",
    aws_secret_access_key="${secretAccessKey}",
    config=Config(s3={"addressing_style": "path"}),
)`,
  }
}

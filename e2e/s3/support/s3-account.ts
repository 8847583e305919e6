import { createKey } from '../../support/account.ts'
import { freshAccount, sharedStack } from '../../support/shared-stack.ts'

/** Credentials of one account and the endpoint that accepts them. */
export type S3Account = { accessKeyId: string; secretAccessKey: string; endpoint: string; region: string }

/** A new account of the shared system. */
export async function newS3Account(): Promise<S3Account> {
  const { s3 } = await createKey(freshAccount(), { s3: true })
  if (!s3) throw new Error('The new key has no S3 credentials')
  return { ...s3, endpoint: sharedStack().s3ApiUrls[0] as string, region: 'us-east-1' }
}

/** The account as environment variables, which aws-cli and all SDKs read. */
export const awsVariables = ({
  accessKeyId,
  secretAccessKey,
  endpoint,
  region,
}: S3Account): Record<string, string> => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_ENDPOINT_URL_S3: endpoint,
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
  AWS_EC2_METADATA_DISABLED: 'true',
})

/** Options of the AWS SDK's client. */
export const clientSettings = ({ endpoint, region, ...credentials }: S3Account) => ({
  endpoint,
  region,
  credentials,
  forcePathStyle: true,
})

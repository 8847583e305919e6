import { hotTierSettings } from '@tideport/file-lifecycle/process/settings'
import { loadConfig } from '@tideport/service-kit/config/config'
import { baseUrl, list, origin } from '@tideport/service-kit/config/setting'
import { untilAvailable, waitSettings } from '@tideport/service-kit/process/until-available'
import { prepareBucket } from '@tideport/set-up/prepare-bucket'
import { z } from 'zod'
import type { CommandContext } from '../command.ts'

export const bucketStepSettings = z.object({
  ...waitSettings,
  ...hotTierSettings,
  // Compose adds it to CORS_ORIGINS. Read here so an error names the setting at fault.
  PUBLIC_URL: baseUrl().optional().describe('Address that clients use'),
  CORS_ORIGINS: list(z.union([z.literal('*'), origin()]))
    .optional()
    .describe(
      "Browser origins that may use presigned URLs, a comma list; the same as at the gateway. Unset: the bucket's CORS rule stays; a comma alone, the empty list: it is removed",
    ),
})

/** Creates the bucket of the hot tier and its CORS rules. */
export async function setUpBucket({ env, log, signal }: CommandContext): Promise<void> {
  const config = loadConfig(bucketStepSettings, env)
  const { awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey } = config
  const store = {
    region: config.s3Region,
    forcePathStyle: config.s3ForcePathStyle,
    ...(config.s3Endpoint && { endpoint: config.s3Endpoint }),
    ...(accessKeyId && secretAccessKey && { credentials: { accessKeyId, secretAccessKey } }),
  }
  const wait = { seconds: config.waitSeconds, what: 'S3', isOutage: isUnanswered, log, signal }
  await untilAvailable(() => prepareBucket(store, config.s3Bucket, config.corsOrigins), wait).catch((error: Error) => {
    throw new Error(`the bucket ${config.s3Bucket} cannot be had: ${error.name}: ${error.message}`, { cause: error })
  })
  const { s3Bucket: bucket, corsOrigins: origins } = config
  if (origins === undefined) log.info({ bucket }, 'the CORS rule is left as it is: CORS_ORIGINS is not set')
  else log.info({ bucket, origins }, origins.length === 0 ? 'the CORS rule is removed' : 'the CORS rule is set')
}

/** No response, or a 5xx. A 4xx would be the same again. */
function isUnanswered(error: unknown): boolean {
  const { $metadata, name } = error as { $metadata?: { httpStatusCode?: number }; name?: string }
  const status = $metadata?.httpStatusCode
  return status === undefined ? name !== 'CredentialsProviderError' : status >= 500
}

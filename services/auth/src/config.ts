import { httpServiceSettings } from '@tideport/service-kit/config/process-settings'
import { baseUrl, decimal, secretKeys } from '@tideport/service-kit/config/setting'
import { z } from 'zod'

export const settings = z.object({
  ...httpServiceSettings(8081),
  PUBLIC_URL: baseUrl()
    .optional()
    .describe(
      'Base URL that clients use, for set-up links and passkeys, which work only at this address. If unset, the owner signs in only with the recovery code.',
    ),
  REVOCATION_WAIT_SECONDS: decimal({ max: 5 })
    .default(1)
    .describe(
      'Longest time that gateways may cache an API key. After its commit, a revocation waits for 1.25 times as long before it responds.',
    ),
  S3_API_SECRET_KEYS: secretKeys().describe(
    'Keys from which the secrets of the S3 API are derived, 32 bytes in base64 each, comma-separated. The first one makes new secrets; secrets of all of them are valid.',
  ),
})

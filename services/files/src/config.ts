import { faultsOfSingleCopy } from '@tideport/file-lifecycle/copies/networks'
import {
  confirmSettings,
  downloadUrlSettings,
  exportSettings,
  hotTierSettings,
  relaySettings,
  storageNetworkSettings,
  trashSettings,
  uploadSettings,
} from '@tideport/file-lifecycle/process/settings'
import { type Config, fitting } from '@tideport/service-kit/config/config'
import { httpServiceSettings, streamDrainSettings } from '@tideport/service-kit/config/process-settings'
import { baseUrl, bytes, integer, seconds, secretKeys } from '@tideport/service-kit/config/setting'
import { z } from 'zod'

export const settings = fitting(
  z.object({
    ...storageNetworkSettings,
    ...httpServiceSettings(8082),
    ...streamDrainSettings,
    ...hotTierSettings,
    ...uploadSettings,
    ...relaySettings,
    ...confirmSettings,
    ...trashSettings,
    ...exportSettings,
    ...downloadUrlSettings,
    PUBLIC_URL: baseUrl()
      .transform((address) => address.replace(/\/+$/, ''))
      .describe('Base URL that clients use, for signed download URLs'),
    DOWNLOAD_TOKEN_KEYS: secretKeys().describe(
      'Keys that sign download URLs, 32 bytes in base64 each, comma-separated. The first one signs; the others only verify.',
    ),
    SLOW_CALLS_PER_ACCOUNT_MAX: integer({ min: 1 })
      .default(16)
      .describe(
        'Slow requests of one account that a process accepts: two run, the others wait, and further ones get 429',
      ),
    ACCOUNT_JOBS_MAX: integer({ min: 1, max: 1000 })
      .default(16)
      .describe('Unfinished jobs that an account may have. Jobs of one vault run one after another.'),
    ARCHIVE_FILES_MAX: integer({ min: 1, max: 1_000_000 })
      .default(50_000)
      .describe('Files that one archive may contain'),
    ARCHIVE_MEMORY_BYTES: bytes({ min: 1024 ** 2 })
      .default(128 * 1024 ** 2)
      .describe(
        'Memory of a process for the file lists of archives in progress, up to 16 MiB each. One account gets at most half.',
      ),
    PRICE_CURRENCY: z
      .string()
      .regex(/^[A-Z]{3,8}$/, 'must be a currency such as EUR')
      .default('USD')
      .describe('Currency of the prices of storage networks, returned with costs'),
    RELEASE_SITE_URL: baseUrl()
      .optional()
      .describe(
        'Documentation site of the releases. A process reads release.json there at most once a day, when an operator uses the console, which then shows newer releases. Unset: no request',
      ),
    PUBLIC_READS: z
      .enum(['stream', 'redirect'])
      .default('stream')
      .describe(
        'How public reads of hot files are served: streamed, or redirected to a presigned URL of the object storage',
      ),
    HOT_STREAMS_MAX: integer({ min: 1 })
      .default(256)
      .describe('Concurrent downloads of hot files, and connections to the object storage for them'),
    COLD_STREAMS_MAX: integer({ min: 1 }).default(256).describe('Concurrent downloads from storage networks'),
    DIRECT_UPLOAD_MAX_BYTES: bytes({ max: 1024 ** 3 })
      .default(16 * 1024 ** 2)
      .describe('Largest file that can be uploaded in one request. Larger files need the three-step upload.'),
    DIRECT_UPLOAD_MEMORY_BYTES: bytes({ min: 1024 ** 2 })
      .default(128 * 1024 ** 2)
      .describe('Memory of a process for one-request uploads. One account gets at most half.'),
    STREAM_STALL_SECONDS: seconds({ min: 1 })
      .default(60)
      .describe(
        'Time without progress after which a response that the client does not read, or an upload, is cut off. Set a longer time than in the gateway, which reads from this service.',
      ),
  }),
  (config) => [...faultsOfSingleCopy(config), ...faultsOfReleaseSite(config)],
)

function faultsOfReleaseSite({
  serviceEnv,
  releaseSiteUrl,
}: {
  serviceEnv: string
  releaseSiteUrl?: string | undefined
}) {
  const isSafe = serviceEnv === 'development' || releaseSiteUrl === undefined || releaseSiteUrl.startsWith('https://')
  return isSafe ? [] : ['RELEASE_SITE_URL: must be an https URL']
}

export type FilesConfig = Config<typeof settings.shape>

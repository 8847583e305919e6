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
      .describe('The address clients use, in signed download URLs'),
    DOWNLOAD_TOKEN_KEYS: secretKeys().describe(
      'Keys that sign download URLs, 32 bytes in base64 each, a comma list; the first one is in use, the rest still check',
    ),
    SLOW_CALLS_PER_ACCOUNT_MAX: integer({ min: 1 })
      .default(16)
      .describe(
        'Calls of one account that may take long, in a process at once: two are under way, the rest wait, more get 429',
      ),
    ACCOUNT_JOBS_MAX: integer({ min: 1, max: 1000 })
      .default(16)
      .describe('Jobs an account may have that are not over; those of one vault follow each other'),
    ARCHIVE_FILES_MAX: integer({ min: 1, max: 1_000_000 })
      .default(50_000)
      .describe('Files of one archive; more are refused'),
    ARCHIVE_MEMORY_BYTES: bytes({ min: 1024 ** 2 })
      .default(128 * 1024 ** 2)
      .describe('Memory of a process for lists of archives under way, up to 16 MiB each; of one account at most half'),
    PRICE_CURRENCY: z
      .string()
      .regex(/^[A-Z]{3,8}$/, 'must be a currency such as EUR')
      .default('USD')
      .describe('What prices of storage networks are in, as calls that tell of costs name it'),
    PUBLIC_READS: z
      .enum(['stream', 'redirect'])
      .default('stream')
      .describe('Public reads of hot files: streamed, or redirected to a presigned URL of the object storage'),
    HOT_STREAMS_MAX: integer({ min: 1 })
      .default(256)
      .describe('Downloads of hot files at once, and connections to the store for them'),
    COLD_STREAMS_MAX: integer({ min: 1 }).default(256).describe('Downloads from the storage network at once'),
    DIRECT_UPLOAD_MAX_BYTES: bytes({ max: 1024 ** 3 })
      .default(16 * 1024 ** 2)
      .describe('Largest file in one call; larger ones go by an upload request'),
    DIRECT_UPLOAD_MEMORY_BYTES: bytes({ min: 1024 ** 2 })
      .default(128 * 1024 ** 2)
      .describe('Memory of a process for bytes of uploads in one call; of one account at most half'),
    STREAM_STALL_SECONDS: seconds({ min: 1 })
      .default(60)
      .describe(
        'An answer is cut when its reader takes none of it for so long, an upload when its sender sends none; longer here, where gateways read',
      ),
  }),
  faultsOfSingleCopy,
)

export type FilesConfig = Config<typeof settings.shape>

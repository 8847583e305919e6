import { databaseSettings, natsSettings, processSettings } from '@tideport/service-kit/config/process-settings'
import {
  baseUrl,
  boolean,
  bytes,
  decimal,
  family,
  integer,
  list,
  seconds,
  secret,
  secretKeys,
} from '@tideport/service-kit/config/setting'
import { networkSetting } from '@tideport/service-kit/outgoing/network-setting'
import { z } from 'zod'
import { readNetworks } from '../copies/network-settings.ts'

export const hotTierSettings = {
  S3_ENDPOINT: baseUrl().optional().describe('S3 URL for the services; unset: AWS'),
  S3_PUBLIC_ENDPOINT: baseUrl().optional().describe('S3 URL for clients, in presigned URLs; unset: S3_ENDPOINT'),
  S3_REGION: z.string().min(1).default('us-east-1').describe('Region of the bucket'),
  S3_BUCKET: z.string().min(3).max(63).describe('Bucket of the hot tier; must be private and without versioning'),
  S3_FORCE_PATH_STYLE: boolean().default(false).describe('Use the bucket in the path instead of the host name'),
  AWS_ACCESS_KEY_ID: z
    .string()
    .optional()
    .describe('Used with AWS_SECRET_ACCESS_KEY; unset: the AWS default credential chain'),
  AWS_SECRET_ACCESS_KEY: secret(z.string().optional()).describe('Secret of AWS_ACCESS_KEY_ID'),
}

export const storageNetworkSettings = {
  STORAGE_NETWORKS: family(readNetworks).describe(
    'Names of the storage networks, in order of preference, each with its NETWORK_<NAME>_… settings; unset: STORAGE_NETWORK',
  ),
  STORAGE_NETWORK: z
    .enum(['embedded', 'ipfs', 'walrus'])
    .default('embedded')
    .describe('The only storage network, named after its driver'),
  EMBEDDED_NETWORK_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Directory of the embedded network, the same for all processes; operator set-up network creates and marks it. With STORAGE_NETWORKS, NETWORK_<NAME>_DIR applies instead',
    ),
  EMBEDDED_NETWORK_RESERVE_BYTES: bytes()
    .default(1024 ** 3)
    .describe('Free bytes below which the embedded network accepts no more copies; at most 5% of the volume'),
  EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY: boolean()
    .default(false)
    .describe(
      'Accept that one disk holds the only copy of a cold file; outside development, a single embedded network requires true',
    ),
}

export const exportSettings = {
  EXPORT_SECRET_KEYS: secret(secretKeys().optional()).describe(
    'Comma-separated keys (32 bytes in base64 each) that encrypt credentials of export buckets; the first encrypts, all decrypt; unset: exports only to vaults',
  ),
  EXPORT_ALLOW_CIDRS: list(networkSetting)
    .default([])
    .describe(
      'Comma-separated CIDRs of non-public networks that export buckets may be in; development mode always allows loopback',
    ),
}

export const confirmSettings = {
  CONFIRM_WAIT_SECONDS: seconds({ min: 1 }).default(50).describe('How long a confirm waits for the object storage'),
  CONFIRM_LOST_SECONDS: seconds({ min: 1 })
    .default(900)
    .describe('Time after which a completion without an object counts as lost'),
  SETTLE_SECONDS: seconds({ min: 1 })
    .default(3600)
    .describe('Wait before clean-up; must be longer than any PUT or completion takes'),
}

export const downloadUrlSettings = {
  DOWNLOAD_URL_SECONDS: seconds({ min: 1, max: 604_800 }).default(600).describe('Lifetime of a download URL'),
  CLOCK_SKEW_SECONDS: seconds().default(60).describe('Largest difference between the clocks of the processes'),
}

export const trashSettings = {
  TRASH_RETENTION_SECONDS: seconds({ max: 315_360_000 })
    .default(604_800)
    .describe('How long files and vaults stay in the trash'),
}

const dispatchSettings = {
  DISPATCH_INTERVAL_SECONDS: decimal({ min: 0.05 })
    .default(10)
    .describe('Longest time between two checks for due work to enqueue again'),
}

export const relaySettings = {
  RELAY_POLL_SECONDS: decimal({ min: 0.05, max: 3600 })
    .default(10)
    .describe('Longest time between two checks by each process for events that a crashed process did not publish'),
}

export const workerSettings = {
  ...processSettings,
  ...databaseSettings,
  ...natsSettings,
  ...hotTierSettings,
  ...storageNetworkSettings,
  ...dispatchSettings,
  ...relaySettings,
}

export const uploadSettings = {
  UPLOAD_URL_SECONDS: seconds({ min: 1, max: 604_800 }).default(900).describe('Lifetime of an upload URL'),
  UPLOAD_EXPIRY_SECONDS: seconds({ min: 1 }).default(86_400).describe('Time after which an unconfirmed upload expires'),
  MAX_PUT_BYTES: bytes({ max: 5 * 1024 ** 3 })
    .default(5 * 1024 ** 3)
    .describe('Largest file in one PUT'),
  MAX_FILE_BYTES: bytes({ max: 50 * 1024 ** 3 })
    .default(50 * 1024 ** 3)
    .describe('Largest file'),
  ACCOUNT_QUOTA_BYTES: bytes().default(0).describe('Bytes that an account may store; 0: no limit'),
  OPEN_UPLOADS_MAX: integer({ min: 1 }).default(100).describe('Open uploads that an account may have'),
}

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
  S3_ENDPOINT: baseUrl().optional().describe('S3 as the services reach it; unset: AWS'),
  S3_PUBLIC_ENDPOINT: baseUrl().optional().describe('S3 as clients reach it, in presigned URLs; unset: S3_ENDPOINT'),
  S3_REGION: z.string().min(1).default('us-east-1').describe('Region of the bucket'),
  S3_BUCKET: z.string().min(3).max(63).describe('Bucket of the hot tier; private, without versioning'),
  S3_FORCE_PATH_STYLE: boolean().default(false).describe('Bucket in the path instead of the host name'),
  AWS_ACCESS_KEY_ID: z.string().optional().describe('With AWS_SECRET_ACCESS_KEY; unset: the AWS default chain'),
  AWS_SECRET_ACCESS_KEY: secret(z.string().optional()).describe('Secret of AWS_ACCESS_KEY_ID'),
}

export const storageNetworkSettings = {
  STORAGE_NETWORKS: family(readNetworks).describe(
    'Names of the storage networks, in order of preference, each with its own NETWORK_<NAME>_…; unset: the one of STORAGE_NETWORK',
  ),
  STORAGE_NETWORK: z
    .enum(['embedded', 'ipfs', 'walrus'])
    .default('embedded')
    .describe('The only storage network, named after its driver'),
  EMBEDDED_NETWORK_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('Directory of the embedded network, the same for all processes; made and marked by set-up-network'),
  EMBEDDED_NETWORK_RESERVE_BYTES: bytes()
    .default(1024 ** 3)
    .describe('Free bytes below which the embedded network takes no more copies; at most a twentieth of the volume'),
  EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY: boolean()
    .default(false)
    .describe('Outside development the embedded network starts only with true: one disk is one copy'),
}

export const exportSettings = {
  EXPORT_SECRET_KEYS: secret(secretKeys().optional()).describe(
    'Keys that encrypt credentials of buckets that accounts export to, 32 bytes in base64 each, a comma list; the first one is in use, the rest still read; unset: exports go to vaults alone',
  ),
  EXPORT_ALLOW_CIDRS: list(networkSetting)
    .default([])
    .describe(
      'Networks that buckets of accounts may be in although they are not public, a comma list of CIDRs; in development mode loopback always is',
    ),
}

export const confirmSettings = {
  CONFIRM_WAIT_SECONDS: seconds({ min: 1 }).default(50).describe('How long a confirm waits for the store'),
  CONFIRM_LOST_SECONDS: seconds({ min: 1 })
    .default(900)
    .describe('When a completion that left no object counts as lost'),
  SETTLE_SECONDS: seconds({ min: 1 }).default(3600).describe('Longer than any PUT or completion may last'),
}

export const downloadUrlSettings = {
  DOWNLOAD_URL_SECONDS: seconds({ min: 1, max: 604_800 }).default(600).describe('Life of a download URL'),
  CLOCK_SKEW_SECONDS: seconds().default(60).describe('How far the clocks of the processes may differ'),
}

export const trashSettings = {
  TRASH_RETENTION_SECONDS: seconds({ max: 315_360_000 })
    .default(604_800)
    .describe('How long files and vaults stay in the trash'),
}

const dispatchSettings = {
  DISPATCH_INTERVAL_SECONDS: decimal({ min: 0.05 })
    .default(10)
    .describe('How often at least due work is looked for and enqueued again'),
}

export const relaySettings = {
  RELAY_POLL_SECONDS: decimal({ min: 0.05, max: 3600 })
    .default(10)
    .describe('How often at least each process looks for events that a process which died did not publish'),
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
  UPLOAD_URL_SECONDS: seconds({ min: 1, max: 604_800 }).default(900).describe('Life of an upload URL'),
  UPLOAD_EXPIRY_SECONDS: seconds({ min: 1 }).default(86_400).describe('When an upload that was not confirmed ends'),
  MAX_PUT_BYTES: bytes({ max: 5 * 1024 ** 3 })
    .default(5 * 1024 ** 3)
    .describe('Largest file in one PUT'),
  MAX_FILE_BYTES: bytes({ max: 50 * 1024 ** 3 })
    .default(50 * 1024 ** 3)
    .describe('Largest file at all'),
  ACCOUNT_QUOTA_BYTES: bytes().default(0).describe('Bytes an account may store; 0 = no limit'),
  OPEN_UPLOADS_MAX: integer({ min: 1 }).default(100).describe('Uploads an account may have open'),
}

import { baseUrl, boolean, bytes, integer, list, seconds, secret } from '@tideport/service-kit/config/setting'
import { z } from 'zod'

const RESERVE_BYTES = 1024 ** 3

export const reserve = () => bytes().default(RESERVE_BYTES)

/** The settings of a network without their prefix. */
export const networkShape = {
  DRIVER: z
    .enum(['embedded', 's3', 'ipfs', 'walrus'])
    .default('embedded')
    .describe('Driver of the network: embedded, s3, ipfs, or walrus'),
  ROLE: z
    .enum(['required', 'leaving'])
    .default('required')
    .describe('required: every file gets a copy; leaving: copies are read and removed, new ones are not stored'),
  CHECK_BYTES_PER_DAY: bytes({ min: 1 })
    .optional()
    .describe('Bytes that all processes together may read per day (UTC) to check copies; unset: no limit'),
  CHECK_REQUESTS_PER_DAY: integer({ min: 1 })
    .optional()
    .describe(
      'Requests that all processes together may send per day (UTC) to check copies, at most three per check; unset: no limit',
    ),
  READ_PRICE_GB: z.coerce
    .number()
    .min(0)
    .default(0)
    .describe(
      'Price of reading 1 GB, in the same currency for all networks; reads prefer the cheapest of the fast networks',
    ),
  STORE_PRICE_GB_MONTH: z.coerce
    .number()
    .min(0)
    .optional()
    .describe('Price of storing 1 GB (10^9 bytes) for a month, in PRICE_CURRENCY; unset: no costs are shown'),
  DIR: z.string().min(1).optional().describe('embedded: directory of the network, the same for all processes'),
  RESERVE_BYTES: reserve().describe('embedded: free bytes below which the network accepts no more copies'),
  RPC_URLS: list(baseUrl())
    .optional()
    .describe(
      'ipfs: RPC URL of the node (Kubo 0.43 or newer), such as http://ipfs:5001; further nodes serve reads while the first is unavailable',
    ),
  RPC_TOKEN: secret(z.string().regex(/^\S+$/, 'must be a token without spaces').optional()).describe(
    'ipfs: bearer token for the RPC, as configured in API.Authorizations of the node',
  ),
  MFS_DIRECTORY: z
    .string()
    .regex(/^(\/[A-Za-z0-9_-]+)+$/, 'must be a path such as /tideport')
    .default('/tideport')
    .describe("ipfs: directory in the node's MFS that only this network uses"),
  GC_SECONDS: seconds({ min: 1 })
    .default(600)
    .describe('ipfs: longest garbage collection of the node; writes wait until it finishes'),
  ENDPOINT: baseUrl().optional().describe('s3: endpoint of the store; unset: AWS'),
  REGION: z.string().min(1).default('us-east-1').describe('s3: region of the bucket'),
  BUCKET: z.string().min(3).max(63).optional().describe('s3: bucket that only this network uses'),
  FORCE_PATH_STYLE: boolean().default(false).describe('s3: use the bucket in the path instead of the host name'),
  ACCESS_KEY_ID: z.string().min(1).optional().describe('s3: access key ID for the bucket'),
  SECRET_ACCESS_KEY: secret(z.string().min(1).optional()).describe('s3: secret of ACCESS_KEY_ID'),
  STORAGE_CLASS: z
    .string()
    .regex(/^[A-Z0-9_]+$/, 'must be a storage class such as GLACIER_IR')
    .optional()
    .describe("s3: storage class of the bytes, such as GLACIER_IR; unset: the store's default"),
  MIN_BILLED_BYTES: bytes()
    .default(0)
    .describe('s3: smallest size that the store bills for an object of that class, such as 128 KiB for GLACIER_IR'),
  LOCK_DAYS: integer({ min: 30, max: 36_500 })
    .optional()
    .describe(
      's3: days for which Object Lock prevents the removal of a copy, renewed while the copy is needed; unset: no lock',
    ),
  LOCK_MODE: z
    .enum(['governance', 'compliance'])
    .default('governance')
    .describe('s3: governance lets identities with a special permission remove locked copies; compliance lets nobody'),
  RESTORE_TIER: z
    .enum(['expedited', 'standard', 'bulk'])
    .default('standard')
    .describe('s3: speed and price of restores from an archive storage class'),
  RESTORE_DAYS: integer({ min: 1, max: 365 }).default(3).describe('s3: days for which restored bytes stay readable'),
  PUBLISHERS: list(baseUrl())
    .optional()
    .describe('walrus: publishers, such as https://publisher.example.org; the next one is tried when one fails'),
  AGGREGATORS: list(baseUrl()).optional().describe('walrus: aggregators, read in this order'),
  JWT_SECRET: secret(z.string().min(1).optional()).describe(
    'walrus: secret that signs tokens for the publishers (HS256), as text or as 0x and hexadecimal digits; unset: no tokens',
  ),
  JWT_SECONDS: seconds({ min: 1, max: 86_400 })
    .default(600)
    .describe('walrus: lifetime of a token; a publisher may require an exact value (--jwt-expiring-sec)'),
  EPOCHS: integer({ min: 2, max: 53 })
    .default(26)
    .describe('walrus: epochs for which a copy is stored; it is stored again before they end'),
  EPOCH_SECONDS: seconds({ min: 1 })
    .default(1_209_600)
    .describe('walrus: length of an epoch: 14 days on mainnet, 1 day on testnet'),
  PERMANENT: boolean()
    .default(true)
    .describe(
      'walrus: store blobs that nobody can delete before they expire; with false, every repeated store registers a new blob',
    ),
  SEND_OBJECT_TO: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a Sui address')
    .optional()
    .describe('walrus: Sui address that receives the blob objects; unset: the publisher keeps them'),
  MAX_BLOB_BYTES: bytes({ min: 1024 })
    .default(10 * 1024 * 1024)
    .describe('walrus: largest body that the publishers accept (--max-body-size); larger files cannot be uploaded'),
  CHECK_ID_BYTES: bytes({ max: 1024 ** 3 })
    .default(16 * 1024 * 1024)
    .describe('walrus: largest blob that is kept in memory while it is stored, to compute and check its ID; 0: none'),
  PROPAGATION_SECONDS: seconds({ max: 600 })
    .default(60)
    .describe('walrus: how long aggregators may not find a blob that was just stored'),
  SHARDS: integer({ min: 4, max: 65_535 }).default(1000).describe('walrus: number of shards of the network'),
}

export const prefixOf = (name: string) => `NETWORK_${name.toUpperCase().replaceAll('-', '_')}`

export function settingsOf(name: string): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(networkShape).map(([word, schema]) => [`${prefixOf(name)}_${word}`, schema]))
}

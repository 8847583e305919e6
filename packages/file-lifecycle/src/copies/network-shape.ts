import { baseUrl, boolean, bytes, integer, list, seconds, secret } from '@tideport/service-kit/config/setting'
import { z } from 'zod'

const RESERVE_BYTES = 1024 ** 3

export const reserve = () => bytes().default(RESERVE_BYTES)

/** The settings of a network without their prefix. */
export const networkShape = {
  DRIVER: z
    .enum(['embedded', 's3', 'ipfs', 'walrus'])
    .default('embedded')
    .describe('What the network is: embedded, s3, ipfs or walrus'),
  ROLE: z
    .enum(['required', 'leaving'])
    .default('required')
    .describe('required: every file has a copy there; leaving: read, no longer stored to, and emptied'),
  CHECK_BYTES_PER_DAY: bytes({ min: 1 })
    .optional()
    .describe('Bytes that all processes together read for checks of its copies in a day (UTC); unset: no limit'),
  CHECK_REQUESTS_PER_DAY: integer({ min: 1 })
    .optional()
    .describe('Requests that they make for them, three at most a check; unset: no limit'),
  READ_PRICE_GB: z.coerce
    .number()
    .min(0)
    .default(0)
    .describe(
      'What reading a GB there costs, in a currency that all networks share: of quick ones the cheapest is read',
    ),
  STORE_PRICE_GB_MONTH: z.coerce
    .number()
    .min(0)
    .optional()
    .describe(
      'What keeping a GB (10^9 bytes) there for a month costs, in PRICE_CURRENCY; unset: nothing is told of it',
    ),
  DIR: z.string().min(1).optional().describe('Directory of an embedded network, the same for all processes'),
  RESERVE_BYTES: reserve().describe('Free bytes below which an embedded network takes no more copies'),
  RPC_URLS: list(baseUrl())
    .optional()
    .describe(
      'Of ipfs: RPC of the node (Kubo 0.43 or newer), such as http://ipfs:5001; further ones are read at while the first does not answer',
    ),
  RPC_TOKEN: secret(z.string().regex(/^\S+$/, 'must be a token without blanks').optional()).describe(
    'Of ipfs: bearer token for that RPC, as API.Authorizations of the node knows it',
  ),
  MFS_DIRECTORY: z
    .string()
    .regex(/^(\/[A-Za-z0-9_-]+)+$/, 'must be a path such as /tideport')
    .default('/tideport')
    .describe("Of ipfs: directory of the node's MFS that is the network's alone"),
  GC_SECONDS: seconds({ min: 1 })
    .default(600)
    .describe('Of ipfs: longest garbage collection of the node: its writes wait for the end of one'),
  ENDPOINT: baseUrl().optional().describe('Of s3: where the bucket is; unset: AWS'),
  REGION: z.string().min(1).default('us-east-1').describe('Of s3: region of the bucket'),
  BUCKET: z.string().min(3).max(63).optional().describe("Of s3: the bucket, which is this network's alone"),
  FORCE_PATH_STYLE: boolean().default(false).describe('Of s3: bucket in the path instead of the host name'),
  ACCESS_KEY_ID: z.string().min(1).optional().describe('Of s3: who we are there'),
  SECRET_ACCESS_KEY: secret(z.string().min(1).optional()).describe('Secret of its ACCESS_KEY_ID'),
  STORAGE_CLASS: z
    .string()
    .regex(/^[A-Z0-9_]+$/, 'must be a storage class such as GLACIER_IR')
    .optional()
    .describe("Of s3: storage class of the bytes, such as GLACIER_IR; unset: the store's default"),
  MIN_BILLED_BYTES: bytes()
    .default(0)
    .describe('Of s3: what the store bills for an object of that class at least, as GLACIER_IR does for 128 KiB'),
  LOCK_DAYS: integer({ min: 30, max: 36_500 })
    .optional()
    .describe(
      'Of s3: days for which nobody may remove a copy, renewed for as long as it is wanted (Object Lock); unset: no lock',
    ),
  LOCK_MODE: z
    .enum(['governance', 'compliance'])
    .default('governance')
    .describe('Of s3: whether somebody with a permission of its own may remove what is locked, or nobody at all'),
  RESTORE_TIER: z
    .enum(['expedited', 'standard', 'bulk'])
    .default('standard')
    .describe('Of s3: how fast, and at which price, bytes are brought back from a class that is an archive'),
  RESTORE_DAYS: integer({ min: 1, max: 365 })
    .default(3)
    .describe('Of s3: days for which what was brought back can be read'),
  PUBLISHERS: list(baseUrl())
    .optional()
    .describe('Of walrus: publishers, such as https://publisher.example.org; the next one is tried when one fails'),
  AGGREGATORS: list(baseUrl()).optional().describe('Of walrus: aggregators, read in this order'),
  JWT_SECRET: secret(z.string().min(1).optional()).describe(
    'Of walrus: secret of the tokens that its publishers want (HS256), as text or 0x and hexadecimal digits; unset: none',
  ),
  JWT_SECONDS: seconds({ min: 1, max: 86_400 })
    .default(600)
    .describe('Of walrus: life of such a token, which a publisher may want to be exactly this (--jwt-expiring-sec)'),
  EPOCHS: integer({ min: 2, max: 53 })
    .default(26)
    .describe('Of walrus: epochs ahead for which a copy is stored, and stored again before they end'),
  EPOCH_SECONDS: seconds({ min: 1 })
    .default(1_209_600)
    .describe('Of walrus: length of an epoch: 14 days on mainnet, a day on testnet'),
  PERMANENT: boolean()
    .default(true)
    .describe(
      'Of walrus: whether nobody may delete a copy before its end; false makes every repetition a new registration',
    ),
  SEND_OBJECT_TO: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be a Sui address')
    .optional()
    .describe('Of walrus: Sui address that gets the objects; unset: the publisher keeps them'),
  MAX_BLOB_BYTES: bytes({ min: 1024 })
    .default(10 * 1024 * 1024)
    .describe(
      'Of walrus: largest body that its publishers take (--max-body-size); no larger file can be uploaded then',
    ),
  CHECK_ID_BYTES: bytes({ max: 1024 ** 3 })
    .default(16 * 1024 * 1024)
    .describe(
      'Of walrus: bytes up to which a blob is held in memory while it is stored and its id computed, too; 0: none',
    ),
  PROPAGATION_SECONDS: seconds({ max: 600 })
    .default(60)
    .describe('Of walrus: how long aggregators may not know what was just stored'),
  SHARDS: integer({ min: 4, max: 65_535 }).default(1000).describe('Of walrus: shards of the network'),
}

export const prefixOf = (name: string) => `NETWORK_${name.toUpperCase().replaceAll('-', '_')}`

export function settingsOf(name: string): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(networkShape).map(([word, schema]) => [`${prefixOf(name)}_${word}`, schema]))
}

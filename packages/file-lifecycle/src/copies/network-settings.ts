import { networkName } from '@tideport/contracts/internal/network-name'
import { ConfigError, camelCase, loadConfig } from '@tideport/service-kit/config/config'
import { baseUrl, boolean, bytes, integer, secret } from '@tideport/service-kit/config/setting'
import type { NetworkConfig } from '@tideport/storage-network/open-network'
import { z } from 'zod'
import type { CheckBudget } from './check-budget.ts'
import type { ReadCosts } from './read-speeds.ts'

/** `required`: every file is to have a copy there. `leaving`: is read, takes no new copies, and is emptied. */
export type NetworkRole = 'required' | 'leaving'

export type NetworkSettings = NetworkConfig & { role: NetworkRole; checkBudget?: CheckBudget } & Partial<ReadCosts>

/** Classes of S3 whose objects have to be brought back before they can be read. */
const ARCHIVES = ['GLACIER', 'DEEP_ARCHIVE']

const RESERVE_BYTES = 1024 ** 3

const reserve = () => bytes().default(RESERVE_BYTES)

/** The settings of one network, without their prefix. */
const shape = {
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
  DIR: z.string().min(1).optional().describe('Directory of an embedded network, the same for all processes'),
  RESERVE_BYTES: reserve().describe('Free bytes below which an embedded network takes no more copies'),
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
}

const prefixOf = (name: string) => `NETWORK_${name.toUpperCase().replaceAll('-', '_')}`

/** The settings of one network, as `NETWORK_<NAME>_…`. */
export function settingsOf(name: string): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([word, schema]) => [`${prefixOf(name)}_${word}`, schema]))
}

/**
 * The storage networks of an environment, in order of preference: those of `STORAGE_NETWORKS`, or the one of
 * `STORAGE_NETWORK`, which then has the name of its driver. Throws `ConfigError` with every fault.
 */
export function readNetworks(names: string, env: Readonly<Record<string, string | undefined>>): NetworkSettings[] {
  const list = networkNames(names)
  if (list.length === 0) return [readShortForm(env)]
  const networks = list.map((name) => readNetwork(name, env))
  if (!networks.some(({ role }) => role === 'required')) {
    throw new ConfigError(['STORAGE_NETWORKS: one network at least has to be required, or no file could be stored'])
  }
  return networks
}

/** The names in a text of `STORAGE_NETWORKS`. Throws `ConfigError` with every fault. */
export function networkNames(text: string): string[] {
  const list = text.split(',').flatMap((name) => name.trim() || [])
  const faults = list.flatMap((name) => (networkName.safeParse(name).success ? [] : [`"${name}" is not a name`]))
  if (new Set(list).size < list.length) faults.push('a name is given twice')
  if (faults.length > 0)
    throw new ConfigError(faults.map((fault) => `STORAGE_NETWORKS: ${fault} (1 to 32 of a-z, 0-9, -)`))
  return list
}

type Values = { [Word in keyof typeof shape]: z.output<(typeof shape)[Word]> }

function readNetwork(name: string, env: Readonly<Record<string, string | undefined>>): NetworkSettings {
  const given: Record<string, unknown> = loadConfig(z.object(settingsOf(name)), env)
  const named = Object.keys(shape).map((word) => [word, given[camelCase(`${prefixOf(name)}_${word}`)]])
  const values = Object.fromEntries(named) as Values
  const { READ_PRICE_GB: readPriceGb } = values
  const common = { name, role: values.ROLE, ...(readPriceGb > 0 && { readPriceGb }), ...budgetOf(values) }
  const { DRIVER: driver } = values
  if (driver === 's3') return { ...common, driver, ...bucketOf(name, values) }
  if (driver !== 'embedded') return { ...common, driver }
  const { DIR: dir } = required(name, 'an embedded network', { DIR: values.DIR })
  return { ...common, driver, dir, reserveBytes: values.RESERVE_BYTES }
}

function bucketOf(name: string, values: Values) {
  const { BUCKET, ACCESS_KEY_ID, SECRET_ACCESS_KEY } = values
  const needed = required(name, 'a network in a bucket', { BUCKET, ACCESS_KEY_ID, SECRET_ACCESS_KEY })
  return {
    endpoint: values.ENDPOINT,
    region: values.REGION,
    bucket: needed.BUCKET,
    forcePathStyle: values.FORCE_PATH_STYLE,
    accessKeyId: needed.ACCESS_KEY_ID,
    secretAccessKey: needed.SECRET_ACCESS_KEY,
    storageClass: values.STORAGE_CLASS,
    ...(ARCHIVES.includes(values.STORAGE_CLASS ?? '') && { isArchive: true }),
    lock: values.LOCK_DAYS === undefined ? undefined : { mode: values.LOCK_MODE, days: values.LOCK_DAYS },
    restore: { tier: values.RESTORE_TIER, days: values.RESTORE_DAYS },
  }
}

function budgetOf(values: Values): { checkBudget?: CheckBudget } {
  const { CHECK_BYTES_PER_DAY: bytesPerDay, CHECK_REQUESTS_PER_DAY: requestsPerDay } = values
  const isUnlimited = bytesPerDay === undefined && requestsPerDay === undefined
  return isUnlimited ? {} : { checkBudget: { bytesPerDay, requestsPerDay } }
}

/** Throws `ConfigError` with each that is missing. */
function required<T extends Record<string, string | undefined>>(name: string, of: string, values: T) {
  const missing = Object.keys(values).filter((word) => values[word] === undefined)
  if (missing.length > 0)
    throw new ConfigError(missing.map((word) => `${prefixOf(name)}_${word}: is required of ${of}`))
  return values as { [Word in keyof T]: string }
}

const shortForm = z.object({
  STORAGE_NETWORK: z.enum(['embedded', 'ipfs', 'walrus']).default('embedded'),
  EMBEDDED_NETWORK_DIR: z.string().min(1).optional(),
  EMBEDDED_NETWORK_RESERVE_BYTES: reserve(),
})

function readShortForm(env: Readonly<Record<string, string | undefined>>): NetworkSettings {
  const {
    storageNetwork: name,
    embeddedNetworkDir: dir,
    embeddedNetworkReserveBytes: reserveBytes,
  } = loadConfig(shortForm, env)
  if (name !== 'embedded') return { name, driver: name, role: 'required' }
  if (dir === undefined) throw new ConfigError(['EMBEDDED_NETWORK_DIR: is required'])
  return { name, driver: name, role: 'required', dir, reserveBytes }
}

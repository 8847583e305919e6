import { networkName } from '@tideport/contracts/internal/network-name'
import { ConfigError, camelCase, loadConfig } from '@tideport/service-kit/config/config'
import { misspelledSettings } from '@tideport/service-kit/config/misspelled'
import type { IpfsSettings } from '@tideport/storage-network/ipfs/settings'
import type { NetworkConfig } from '@tideport/storage-network/open-network'
import type { WalrusSettings } from '@tideport/storage-network/walrus/settings'
import { z } from 'zod'
import type { CheckBudget } from './check-budget.ts'
import { networkShape, prefixOf, reserve, settingsOf } from './network-shape.ts'
import type { ReadCosts } from './read-speeds.ts'

/** `required`: every file gets a copy there. `leaving`: its copies are read and moved away, and it gets no new ones. */
export type NetworkRole = 'required' | 'leaving'

export type NetworkSettings = NetworkConfig & {
  role: NetworkRole
  checkBudget?: CheckBudget
  /** Per month, in the currency of the installation. */
  storePriceGbMonth?: number
} & Partial<ReadCosts>

/** Storage classes of S3 that need a restore before a read. */
const ARCHIVES = ['GLACIER', 'DEEP_ARCHIVE']

/**
 * The networks of `STORAGE_NETWORKS` in order of preference, or that of `STORAGE_NETWORK`. Throws `ConfigError` with
 * every fault.
 */
export function readNetworks(names: string, env: Readonly<Record<string, string | undefined>>): NetworkSettings[] {
  const list = networkNames(names)
  if (list.length === 0) return [readShortForm(env)]
  const networks = list.map((name) => readNetwork(name, env))
  if (!networks.some(({ role }) => role === 'required')) {
    throw new ConfigError([
      'STORAGE_NETWORKS: at least one network must have the role required, or no file could be stored',
    ])
  }
  return networks
}

/** Throws `ConfigError` with every fault. */
export function networkNames(text: string): string[] {
  const list = text.split(',').flatMap((name) => name.trim() || [])
  const faults = list.flatMap((name) =>
    networkName.safeParse(name).success ? [] : [`"${name}" is not a valid name; use 1 to 32 characters of a-z, 0-9, -`],
  )
  if (new Set(list).size < list.length) faults.push('a name is listed twice')
  if (faults.length > 0) throw new ConfigError(faults.map((fault) => `STORAGE_NETWORKS: ${fault}`))
  return list
}

type Values = { [Word in keyof typeof networkShape]: z.output<(typeof networkShape)[Word]> }

function readNetwork(name: string, env: Readonly<Record<string, string | undefined>>): NetworkSettings {
  const misspelled = misspelledSettings(variablesOf(name, env), Object.keys(settingsOf(name)))
  if (misspelled.length > 0) throw new ConfigError(misspelled)
  const given: Record<string, unknown> = loadConfig(z.object(settingsOf(name)), env)
  const named = Object.keys(networkShape).map((word) => [word, given[camelCase(`${prefixOf(name)}_${word}`)]])
  const values = Object.fromEntries(named) as Values
  const common = { name, role: values.ROLE, ...pricesOf(values), ...budgetOf(values) }
  const { DRIVER: driver } = values
  if (driver === 's3') return { ...common, driver, ...bucketOf(name, values) }
  if (driver === 'ipfs') return { ...common, driver, ...nodeOf(name, values) }
  if (driver === 'walrus') return { ...common, driver, ...walrusOf(name, values) }
  const { DIR: dir } = required(name, 'an embedded network', { DIR: values.DIR })
  return { ...common, driver, dir, reserveBytes: values.RESERVE_BYTES }
}

/** The variables of this network, without those of another one whose name begins with its name. */
function variablesOf(name: string, env: Readonly<Record<string, string | undefined>>) {
  const words = Object.keys(networkShape)
  const prefix = `${prefixOf(name)}_`
  const isOthers = (rest: string) => !words.includes(rest) && words.some((word) => rest.endsWith(`_${word}`))
  return Object.fromEntries(
    Object.entries(env).filter(
      ([key]) => key.startsWith(prefix) && !isOthers(key.slice(prefix.length).replace(/_FILE$/, '')),
    ),
  )
}

function pricesOf({ READ_PRICE_GB: readPriceGb, STORE_PRICE_GB_MONTH: storePriceGbMonth }: Values) {
  return {
    ...(readPriceGb > 0 && { readPriceGb }),
    ...(storePriceGbMonth !== undefined && { storePriceGbMonth }),
  }
}

function nodeOf(name: string, { RPC_URLS: urls, RPC_TOKEN: token, ...values }: Values): IpfsSettings {
  const [first, ...others] = urls ?? []
  const { RPC_URLS } = required(name, 'an ipfs network', { RPC_URLS: first })
  const { MFS_DIRECTORY: directory, GC_SECONDS: collectionSeconds } = values
  return { urls: [RPC_URLS, ...others], ...(token !== undefined && { token }), directory, collectionSeconds }
}

/** Shorter leases would be due for renewal from the day they begin. */
const LEAST_LEASE_DAYS = 30

function walrusOf(name: string, values: Values): WalrusSettings {
  const {
    PUBLISHERS: publishers = [],
    AGGREGATORS: aggregators = [],
    EPOCHS: epochs,
    EPOCH_SECONDS: epochSeconds,
  } = values
  const of = 'a walrus network'
  const { PUBLISHERS, AGGREGATORS } = required(name, of, { PUBLISHERS: publishers[0], AGGREGATORS: aggregators[0] })
  if ((epochs - 1) * epochSeconds < LEAST_LEASE_DAYS * 86_400) {
    const fault = `(EPOCHS - 1) × EPOCH_SECONDS must be at least ${LEAST_LEASE_DAYS} days, or every copy would always be due for renewal`
    throw new ConfigError([`${prefixOf(name)}_EPOCHS: ${fault}`])
  }
  return {
    publishers: [PUBLISHERS, ...publishers.slice(1)],
    aggregators: [AGGREGATORS, ...aggregators.slice(1)],
    ...(values.JWT_SECRET !== undefined && { jwtSecret: values.JWT_SECRET }),
    ...{ jwtSeconds: values.JWT_SECONDS, epochs, epochSeconds, isPermanent: values.PERMANENT },
    ...(values.SEND_OBJECT_TO !== undefined && { sendObjectTo: values.SEND_OBJECT_TO }),
    ...{ maxBlobBytes: values.MAX_BLOB_BYTES, checkIdBytes: values.CHECK_ID_BYTES, shards: values.SHARDS },
    propagationSeconds: values.PROPAGATION_SECONDS,
  }
}

function bucketOf(name: string, values: Values) {
  const { BUCKET, ACCESS_KEY_ID, SECRET_ACCESS_KEY } = values
  const needed = required(name, 'an s3 network', { BUCKET, ACCESS_KEY_ID, SECRET_ACCESS_KEY })
  return {
    endpoint: values.ENDPOINT,
    region: values.REGION,
    bucket: needed.BUCKET,
    forcePathStyle: values.FORCE_PATH_STYLE,
    accessKeyId: needed.ACCESS_KEY_ID,
    secretAccessKey: needed.SECRET_ACCESS_KEY,
    storageClass: values.STORAGE_CLASS,
    ...(ARCHIVES.includes(values.STORAGE_CLASS ?? '') && { isArchive: true }),
    ...(values.MIN_BILLED_BYTES > 0 && { minBilledBytes: values.MIN_BILLED_BYTES }),
    lock: values.LOCK_DAYS === undefined ? undefined : { mode: values.LOCK_MODE, days: values.LOCK_DAYS },
    restore: { tier: values.RESTORE_TIER, days: values.RESTORE_DAYS },
  }
}

function budgetOf(values: Values): { checkBudget?: CheckBudget } {
  const { CHECK_BYTES_PER_DAY: bytesPerDay, CHECK_REQUESTS_PER_DAY: requestsPerDay } = values
  const isUnlimited = bytesPerDay === undefined && requestsPerDay === undefined
  return isUnlimited ? {} : { checkBudget: { bytesPerDay, requestsPerDay } }
}

/** Throws `ConfigError` with each missing setting. */
function required<T extends Record<string, string | undefined>>(name: string, of: string, values: T) {
  const missing = Object.keys(values).filter((word) => values[word] === undefined)
  if (missing.length > 0)
    throw new ConfigError(missing.map((word) => `${prefixOf(name)}_${word}: is required for ${of}`))
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
  if (name === 'ipfs') return readNetwork(name, { ...env, NETWORK_IPFS_DRIVER: name })
  if (name === 'walrus') return readNetwork(name, { ...env, NETWORK_WALRUS_DRIVER: name })
  if (dir === undefined) throw new ConfigError(['EMBEDDED_NETWORK_DIR: is required'])
  return { name, driver: name, role: 'required', dir, reserveBytes }
}

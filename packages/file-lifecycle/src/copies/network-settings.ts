import { networkName } from '@tideport/contracts/internal/network-name'
import { ConfigError, camelCase, loadConfig } from '@tideport/service-kit/config/config'
import { bytes } from '@tideport/service-kit/config/setting'
import type { NetworkConfig } from '@tideport/storage-network/open-network'
import { z } from 'zod'

/** `required`: every file is to have a copy there. `leaving`: is read, takes no new copies, and is emptied. */
export type NetworkRole = 'required' | 'leaving'

export type NetworkSettings = NetworkConfig & { role: NetworkRole }

const RESERVE_BYTES = 1024 ** 3

const driver = () => z.enum(['embedded', 'ipfs', 'walrus']).default('embedded')
const reserve = () => bytes().default(RESERVE_BYTES)

/** The settings of one network, as `NETWORK_<NAME>_…`. */
export function settingsOf(name: string) {
  const prefix = `NETWORK_${name.toUpperCase().replaceAll('-', '_')}`
  return {
    [`${prefix}_DRIVER`]: driver().describe('What the network is: embedded, ipfs or walrus'),
    [`${prefix}_ROLE`]: z
      .enum(['required', 'leaving'])
      .default('required')
      .describe('required: every file has a copy there; leaving: read, no longer stored to, and emptied'),
    [`${prefix}_DIR`]: z
      .string()
      .min(1)
      .optional()
      .describe('Directory of an embedded network, the same for all processes'),
    [`${prefix}_RESERVE_BYTES`]: reserve().describe('Free bytes below which an embedded network takes no more copies'),
  }
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

function readNetwork(name: string, env: Readonly<Record<string, string | undefined>>): NetworkSettings {
  const shape = settingsOf(name)
  const values: Record<string, unknown> = loadConfig(z.object(shape), env)
  // What is unset is missing from the values, so they are found by name.
  const names = Object.keys(shape)
  const [driver, role, dir, reserveBytes] = names.map((setting) => values[camelCase(setting)]) as [
    'embedded' | 'ipfs' | 'walrus',
    NetworkRole,
    string | undefined,
    number,
  ]
  if (driver !== 'embedded') return { name, driver, role }
  if (dir === undefined) throw new ConfigError([`${names[2]}: is required of an embedded network`])
  return { name, driver, role, dir, reserveBytes }
}

const shortForm = z.object({
  STORAGE_NETWORK: driver(),
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

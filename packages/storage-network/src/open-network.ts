import { openEmbeddedNetwork } from './embedded/embedded-network.ts'
import type { NetworkIdentity } from './identity.ts'
import type { StorageNetwork } from './storage-network.ts'

/** One named network: its driver and what that needs; validated settings of the service that opens it. */
export type NetworkConfig =
  | {
      name: string
      driver: 'embedded'
      /** A directory that all processes of the installation share. */
      dir: string
      reserveBytes: number
    }
  | { name: string; driver: 'ipfs' }
  | { name: string; driver: 'walrus' }

/**
 * Opens a configured network. Nothing is contacted yet, so a network that is down does not keep a service from starting.
 * @throws Error with a sentence for the operator when the driver is not there
 */
export function openStorageNetwork(
  config: NetworkConfig,
  { installationId }: Pick<NetworkIdentity, 'installationId'>,
): StorageNetwork {
  const { name, driver } = config
  if (driver === 'embedded') {
    return openEmbeddedNetwork({ name, dir: config.dir, reserveBytes: config.reserveBytes, installationId })
  }
  throw new Error(
    `The storage network "${name}" cannot be used yet: its driver is "${driver}", and this version has "embedded" only.`,
  )
}

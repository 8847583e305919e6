import { openEmbeddedNetwork } from './embedded/embedded-network.ts'
import type { NetworkIdentity } from './identity.ts'
import type { StorageNetwork } from './storage-network.ts'

/** The driver and what it needs; validated settings of the service that opens it. */
export interface StorageNetworkConfig {
  storageNetwork: 'embedded' | 'ipfs' | 'walrus'
  /** A directory that all processes of the installation share. */
  embeddedNetworkDir: string
  embeddedNetworkReserveBytes: number
}

/**
 * Opens the configured driver. Nothing is contacted yet, so a network that is down does not keep a service from
 * starting.
 * @throws Error with a sentence for the operator when the driver is not there
 */
export function openStorageNetwork(
  config: StorageNetworkConfig,
  { installationId }: Pick<NetworkIdentity, 'installationId'>,
): StorageNetwork {
  const { storageNetwork: network, embeddedNetworkDir: dir, embeddedNetworkReserveBytes: reserveBytes } = config
  if (network === 'embedded') return openEmbeddedNetwork({ dir, reserveBytes, network, installationId })
  throw new Error(`The storage network "${network}" cannot be used yet; this version has the driver "embedded" only.`)
}

import { openEmbeddedNetwork } from './embedded/embedded-network.ts'
import type { StorageNetwork } from './storage-network.ts'

/** The driver and what it needs; validated settings of the service that opens it. */
export interface StorageNetworkConfig {
  storageNetwork: 'embedded' | 'ipfs' | 'walrus'
  /** A directory that all processes of the installation share. */
  embeddedNetworkDir: string
}

/**
 * Opens the configured driver. Nothing is contacted yet, so a network that is down does not keep a service from
 * starting.
 * @throws Error with a sentence for the operator when the driver is not there
 */
export function openStorageNetwork(config: StorageNetworkConfig): StorageNetwork {
  if (config.storageNetwork === 'embedded') return openEmbeddedNetwork(config.embeddedNetworkDir)
  throw new Error(
    `The storage network "${config.storageNetwork}" cannot be used yet; this version has the driver "embedded" only.`,
  )
}

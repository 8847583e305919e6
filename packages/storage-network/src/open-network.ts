import type { NetworkIdentity } from './identity.ts'
import type { IpfsSettings } from './ipfs/settings.ts'
import { tellingOfNames } from './names.ts'
import type { S3Settings } from './s3/store.ts'
import type { StorageNetwork } from './storage-network.ts'
import type { WalrusSettings } from './walrus/settings.ts'

/** One named network: its driver and what that needs; validated settings of the service that opens it. */
export type NetworkConfig =
  | {
      name: string
      driver: 'embedded'
      /** A directory that all processes of the installation share. */
      dir: string
      reserveBytes: number
    }
  | ({ name: string; driver: 's3' } & S3Settings)
  | ({ name: string; driver: 'ipfs' } & IpfsSettings)
  | ({ name: string; driver: 'walrus' } & WalrusSettings)

export interface OpenNetwork extends Pick<NetworkIdentity, 'installationId'> {
  /** Calls to its disk under way at once, reads and writes each: so many of the process's threads it may keep. */
  diskCallsMax?: number
}

/**
 * Opens a configured network. Nothing is contacted yet, so a network that is down does not keep a service from starting.
 * Loads the driver that it needs and no other.
 */
export async function openStorageNetwork(config: NetworkConfig, opening: OpenNetwork): Promise<StorageNetwork> {
  const { installationId } = opening
  if (config.driver === 'embedded') {
    const { openEmbeddedNetwork } = await import('./embedded/embedded-network.ts')
    return openEmbeddedNetwork({ ...config, ...opening })
  }
  if (config.driver === 's3') {
    const { openS3Network } = await import('./s3/s3-network.ts')
    const network = openS3Network({ ...config, installationId })
    return config.endpoint === undefined ? network : tellingOfNames(network, [config.endpoint])
  }
  if (config.driver === 'ipfs') {
    const { openIpfsNetwork } = await import('./ipfs/ipfs-network.ts')
    return tellingOfNames(openIpfsNetwork({ ...config, installationId }), config.urls)
  }
  const { openWalrusNetwork } = await import('./walrus/walrus-network.ts')
  const network = openWalrusNetwork({ ...config, installationId })
  return tellingOfNames(network, [...config.publishers, ...config.aggregators])
}

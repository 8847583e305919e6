import { isWaitingFor } from '@tideport/s3-client/s3-client'
import { NetworkError } from './errors.ts'
import type { NetworkIdentity } from './identity.ts'
import type { IpfsSettings } from './ipfs/settings.ts'
import type { S3Settings } from './s3/store.ts'
import type { StorageNetwork } from './storage-network.ts'
import type { WalrusSettings } from './walrus/settings.ts'

export type NetworkConfig =
  | {
      name: string
      driver: 'embedded'
      dir: string
      reserveBytes: number
    }
  | ({ name: string; driver: 's3' } & S3Settings)
  | ({ name: string; driver: 'ipfs' } & IpfsSettings)
  | ({ name: string; driver: 'walrus' } & WalrusSettings)

export interface OpenNetwork extends Pick<NetworkIdentity, 'installationId'> {
  /**
   * Limit of concurrent calls to its disk, for reads and for writes each. Each unresponsive call blocks a thread of the
   * process.
   */
  diskCallsMax?: number
}

/** Loads only the required driver, and contacts nothing yet. */
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

/** Reports an unresolved host name if a health check times out while one of these URLs still waits for name servers. */
function tellingOfNames(network: StorageNetwork, urls: readonly string[]): StorageNetwork {
  const hosts = urls.map((url) => new URL(url).hostname)
  return {
    ...network,
    async health(signal, needs) {
      try {
        await network.health(signal, needs)
      } catch (error) {
        if (!isLate(error) || !hosts.some(isWaitingFor)) throw error
        const message = "no name server returned the network's address in time"
        throw new NetworkError('unreachable', message, { cause: error, fault: 'unresolved' })
      }
    },
  }
}

/**
 * Only these errors can mean that a name is unresolved. With any other response, one of two addresses may still lack a
 * name server.
 */
function isLate(error: unknown): boolean {
  if (error instanceof NetworkError) return error.code === 'unreachable' || error.fault === 'hanging'
  return error instanceof DOMException && error.name === 'TimeoutError'
}

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
  /** Calls to its disk under way at once, reads and writes each: so many of the process's threads it may keep. */
  diskCallsMax?: number
}

/** Loads only the driver that is needed, and contacts nothing yet. */
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

/** A network at these URLs that says, when it does not respond in time, whether it was only its name that nobody told. */
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

/** Of a network that answers otherwise nothing is said, such as when one of its two addresses has no name server. */
function isLate(error: unknown): boolean {
  if (error instanceof NetworkError) return error.code === 'unreachable' || error.fault === 'hanging'
  return error instanceof DOMException && error.name === 'TimeoutError'
}

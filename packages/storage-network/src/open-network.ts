import { openEmbeddedNetwork } from './embedded/embedded-network.ts'
import type { NetworkIdentity } from './identity.ts'
import { openIpfsNetwork } from './ipfs/ipfs-network.ts'
import type { IpfsSettings } from './ipfs/settings.ts'
import { openS3Network } from './s3/s3-network.ts'
import type { S3Settings } from './s3/store.ts'
import type { StorageNetwork } from './storage-network.ts'
import type { WalrusSettings } from './walrus/settings.ts'
import { openWalrusNetwork } from './walrus/walrus-network.ts'

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

/** Opens a configured network. Nothing is contacted yet, so a network that is down does not keep a service from starting. */
export function openStorageNetwork(config: NetworkConfig, opening: OpenNetwork): StorageNetwork {
  const { name, driver } = config
  if (driver === 'embedded') {
    return openEmbeddedNetwork({ name, dir: config.dir, reserveBytes: config.reserveBytes, ...opening })
  }
  if (driver === 's3') return openS3Network({ ...config, installationId: opening.installationId })
  if (driver === 'ipfs') return openIpfsNetwork({ ...config, installationId: opening.installationId })
  return openWalrusNetwork({ ...config, installationId: opening.installationId })
}

import { setUpEmbeddedNetwork } from './embedded/set-up.ts'
import type { NetworkIdentity } from './identity.ts'
import { setUpIpfsNetwork } from './ipfs/set-up.ts'
import type { NetworkConfig } from './open-network.ts'
import { setUpS3Network } from './s3/set-up.ts'
import type { CopyName } from './storage-network.ts'
import { setUpWalrusNetwork } from './walrus/set-up.ts'

export interface NetworkSetUp extends Pick<NetworkIdentity, 'installationId'> {
  /** Some of the copies that the installation remembers on this network; none when it has none. */
  remembered: CopyName[]
  /** Go on although none of them is there. */
  acceptLostCopies: boolean
}

/**
 * Makes a configured network this installation's, which may be repeated. Only this marks anything as ours: no service does.
 * @throws Error with a sentence for the operator
 */
export async function setUpStorageNetwork(config: NetworkConfig, setUp: NetworkSetUp) {
  const { name, driver } = config
  if (driver === 'embedded') return await setUpEmbeddedNetwork({ ...setUp, name, dir: config.dir })
  if (driver === 's3') return await setUpS3Network({ ...setUp, ...config })
  if (driver === 'ipfs') return await setUpIpfsNetwork({ ...setUp, ...config })
  return await setUpWalrusNetwork({ ...setUp, ...config })
}

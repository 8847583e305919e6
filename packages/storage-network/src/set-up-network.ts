import { setUpEmbeddedNetwork } from './embedded/set-up.ts'
import type { NetworkIdentity } from './identity.ts'
import type { StorageNetworkConfig } from './open-network.ts'

/** What a copy is found by. */
export interface CopyName {
  blobId: string
  fileId: string
}

export interface NetworkSetUp extends Pick<NetworkIdentity, 'installationId'> {
  /** Some of the copies that the installation remembers on the network; none when it has none. */
  remembered: CopyName[]
  /** Go on although none of them is there. */
  acceptLostCopies: boolean
}

/**
 * Makes the configured network this installation's, which may be repeated. Only this marks anything as ours: no service does.
 * @throws Error with a sentence for the operator
 */
export async function setUpStorageNetwork(config: StorageNetworkConfig, setUp: NetworkSetUp) {
  const { storageNetwork: network, embeddedNetworkDir: dir } = config
  if (network !== 'embedded') throw new Error(`The storage network "${network}" cannot be set up yet.`)
  return await setUpEmbeddedNetwork({ ...setUp, dir, network })
}

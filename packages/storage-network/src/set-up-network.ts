import type { SetUp } from './accept-place.ts'
import type { NetworkConfig } from './open-network.ts'

export type NetworkSetUp = Omit<SetUp, 'name'>

/** Marks a network as this installation's. Can be repeated. @throws Error with a message for the operator */
export async function setUpStorageNetwork(config: NetworkConfig, setUp: NetworkSetUp) {
  if (config.driver === 'embedded') {
    const { setUpEmbeddedNetwork } = await import('./embedded/set-up.ts')
    return await setUpEmbeddedNetwork({ ...setUp, name: config.name, dir: config.dir })
  }
  if (config.driver === 's3') {
    const { setUpS3Network } = await import('./s3/set-up.ts')
    return await setUpS3Network({ ...setUp, ...config })
  }
  if (config.driver === 'ipfs') {
    const { setUpIpfsNetwork } = await import('./ipfs/set-up.ts')
    return await setUpIpfsNetwork({ ...setUp, ...config })
  }
  const { setUpWalrusNetwork } = await import('./walrus/set-up.ts')
  return await setUpWalrusNetwork({ ...setUp, ...config })
}

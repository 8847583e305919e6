import { createBucket, type OwnS3, startS3, type TestBucket } from '@tideport/testing/s3'
import type { NetworkConfig } from '../src/open-network.ts'
import { openS3Network } from '../src/s3/s3-network.ts'
import type { S3Settings } from '../src/s3/store.ts'
import { type NetworkSetUp, setUpStorageNetwork } from '../src/set-up-network.ts'
import type { StorageNetwork } from '../src/storage-network.ts'

export type BucketConfig = NetworkConfig & { driver: 's3' }

const installationId = async () => 'test-installation'

/** A network in a bucket of its own, set up. */
export interface BucketNetwork extends AsyncDisposable {
  /** For direct access with the SDK. */
  bucket: Pick<TestBucket, 'client' | 'bucket' | 'settings'>
  config: BucketConfig
  network: StorageNetwork
  /** Opens the network like another process would. */
  open(different?: Partial<BucketConfig>): StorageNetwork
}

export async function createBucketNetwork(
  { versions }: OwnS3 = {},
  more: Partial<S3Settings> = {},
): Promise<BucketNetwork> {
  const made = await (versions ? startS3({ versions }) : createBucket())
  const restore = { tier: 'standard', days: 1 } as const
  const config = { name: 'bucket-a', driver: 's3' as const, ...made.settings, forcePathStyle: true, restore, ...more }
  await setUpBucket(config)
  const open = (different: Partial<BucketConfig> = {}) => openS3Network({ ...config, ...different, installationId })
  return {
    ...{ bucket: made, config, network: open(), open },
    [Symbol.asyncDispose]: async () => await made.dispose(),
  }
}

export function setUpBucket(config: NetworkConfig, setUp: Partial<NetworkSetUp> = {}) {
  return setUpStorageNetwork(config, { installationId, remembered: [], acceptLostCopies: false, ...setUp })
}

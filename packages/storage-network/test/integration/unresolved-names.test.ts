import { describe, expect, it } from 'vitest'
import { type NetworkConfig, openStorageNetwork } from '../../src/open-network.ts'

/** No server is asked for it: a label has 63 characters at most. */
const url = `http://${'nowhere'.repeat(10)}.invalid`
const bucket = { region: 'r', bucket: 'b', forcePathStyle: true, accessKeyId: 'k', secretAccessKey: 's' }
const walrus = {
  ...{ aggregators: [url] as [string], publishers: [url] as [string], jwtSeconds: 60, epochs: 2, epochSeconds: 60 },
  ...{ isPermanent: true, maxBlobBytes: 1000, checkIdBytes: 0, propagationSeconds: 0, shards: 1000 },
}

const networks: NetworkConfig[] = [
  { name: 'bucket-a', driver: 's3', endpoint: url, ...bucket, restore: { tier: 'standard', days: 1 } },
  { name: 'node-a', driver: 'ipfs', urls: [url] as [string], directory: '/tideport', collectionSeconds: 60 },
  { name: 'walrus-a', driver: 'walrus', ...walrus },
]

describe('a network whose host name is not found', () => {
  it.each(networks)('says so, and not that it hangs: $driver', async (config) => {
    const network = await openStorageNetwork(config, { installationId: async () => 'an-installation' })
    await expect(network.health(new AbortController().signal)).rejects.toMatchObject({
      ...{ code: 'unreachable', fault: 'unresolved' },
      message: expect.stringMatching(/^the host name of .* cannot be resolved$/),
    })
  })
})

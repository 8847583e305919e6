import dns from 'node:dns'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type NetworkConfig, openStorageNetwork } from '../../src/open-network.ts'

/** No server is queried for this name: a label has at most 63 characters. */
const url = `http://${'nowhere'.repeat(10)}.invalid`
const bucket = { region: 'r', bucket: 'b', forcePathStyle: true, accessKeyId: 'k', secretAccessKey: 's' }
const walrus = {
  ...{ jwtSeconds: 60, epochs: 2, epochSeconds: 60, isPermanent: true },
  ...{ maxBlobBytes: 1000, checkIdBytes: 0, propagationSeconds: 0, shards: 1000 },
}

const networksAt = (at: string): NetworkConfig[] => [
  { name: 'bucket-a', driver: 's3', endpoint: at, ...bucket, restore: { tier: 'standard', days: 1 } },
  { name: 'node-a', driver: 'ipfs', urls: [at], directory: '/tideport', collectionSeconds: 60 },
  { name: 'walrus-a', driver: 'walrus', aggregators: [at], publishers: [at], ...walrus },
]

afterEach(() => vi.restoreAllMocks())

describe('a network reports an unresolved name instead of an unresponsive server', () => {
  it.each(networksAt('http://unheard.invalid'))('if no name server responds: $driver', async (config) => {
    vi.spyOn(dns, 'lookup').mockImplementation(() => undefined as never)
    await expectUnresolved(config, AbortSignal.timeout(200), /^no name server returned/)
  })

  it.each(networksAt(url))('if no server knows the name: $driver', async (config) => {
    await expectUnresolved(config, new AbortController().signal, /^the host name of .* cannot be resolved$/)
  })
})

async function expectUnresolved(config: NetworkConfig, signal: AbortSignal, message: RegExp) {
  const network = await openStorageNetwork(config, { installationId: async () => 'an-installation' })
  await expect(network.health(signal)).rejects.toMatchObject({
    ...{ code: 'unreachable', fault: 'unresolved', message: expect.stringMatching(message) },
  })
}

import { describe, expect, it } from 'vitest'
import { openStorageNetwork } from '../../src/open-network.ts'

const config = { embeddedNetworkDir: '/nowhere/at/all', embeddedNetworkReserveBytes: 0 }
const nobody = { installationId: () => Promise.reject(new Error('Not asked')) }

describe('openStorageNetwork', () => {
  it('opens the embedded driver without touching the disk, so a service starts while its disk is away', () => {
    expect(openStorageNetwork({ ...config, storageNetwork: 'embedded' }, nobody).id).toBe('embedded')
  })

  it('says in a sentence that a driver is not there', () => {
    for (const storageNetwork of ['ipfs', 'walrus'] as const) {
      expect(() => openStorageNetwork({ ...config, storageNetwork }, nobody)).toThrow(
        `The storage network "${storageNetwork}" cannot be used yet`,
      )
    }
  })
})

import { describe, expect, it } from 'vitest'
import { openStorageNetwork } from '../../src/open-network.ts'

const embeddedNetworkDir = '/nowhere/at/all'

describe('openStorageNetwork', () => {
  it('opens the embedded driver without touching the disk, so a service starts while its disk is away', () => {
    expect(openStorageNetwork({ storageNetwork: 'embedded', embeddedNetworkDir }).id).toBe('embedded')
  })

  it('says in a sentence that a driver is not there', () => {
    for (const storageNetwork of ['ipfs', 'walrus'] as const) {
      expect(() => openStorageNetwork({ storageNetwork, embeddedNetworkDir })).toThrow(
        `The storage network "${storageNetwork}" cannot be used yet`,
      )
    }
  })
})

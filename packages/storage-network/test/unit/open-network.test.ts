import { describe, expect, it } from 'vitest'
import { openStorageNetwork } from '../../src/open-network.ts'

const nobody = { installationId: () => Promise.reject(new Error('Not asked')) }

describe('openStorageNetwork', () => {
  it('opens the embedded driver without touching the disk, so a service starts while its disk is away', async () => {
    const config = { name: 'disk-a', driver: 'embedded' as const, dir: '/nowhere/at/all', reserveBytes: 0 }
    expect(await openStorageNetwork(config, nobody)).toMatchObject({ name: 'disk-a', driver: 'embedded' })
  })
})

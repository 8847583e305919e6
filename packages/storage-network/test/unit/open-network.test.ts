import { describe, expect, it } from 'vitest'
import { openStorageNetwork } from '../../src/open-network.ts'
import { setUpStorageNetwork } from '../../src/set-up-network.ts'
import { drivers } from '../networks-under-test.ts'

const nobody = { installationId: () => Promise.reject(new Error('Not asked')) }

describe('openStorageNetwork', () => {
  it('opens the embedded driver without touching the disk, so a service starts while its disk is away', () => {
    const config = { name: 'disk-a', driver: 'embedded' as const, dir: '/nowhere/at/all', reserveBytes: 0 }
    expect(openStorageNetwork(config, nobody)).toMatchObject({ name: 'disk-a', driver: 'embedded' })
  })

  it('says in a sentence that a driver is not there, and has none that the conformance suite is not run against', async () => {
    for (const driver of (['walrus'] as const).filter((name) => !(name in drivers))) {
      const config = { name: 'far-away', driver }
      const because = `its driver is "${driver}", and this version has "embedded", "s3" and "ipfs" only.`
      expect(() => openStorageNetwork(config, nobody)).toThrow(
        `The storage network "far-away" cannot be used yet: ${because}`,
      )
      const setUp = setUpStorageNetwork(config, { ...nobody, remembered: [], acceptLostCopies: false })
      await expect(setUp).rejects.toThrow(`The storage network "far-away" cannot be set up yet: ${because}`)
    }
  })
})

import { defineConfig } from 'vitest/config'
import { e2e, faults, integration, unit } from './vitest.config.ts'

/** Against a Walrus that is not ours, where whoever runs it names one: what is stored there is paid for. */
const live = { ...unit, name: 'live', include: ['packages/storage-network/test/live/**/*.test.ts'] }
const liveOnes = process.env.WALRUS_TEST_PUBLISHER ? [{ test: live }] : []

/** In full what every run of the tests does a drawn part of: `npm run test:long`. Takes minutes more. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...faults,
          include: ['e2e/faults/changing-networks.test.ts'],
          provide: { filesToMove: 1000, killsOfEach: 2 },
        },
      },
      {
        test: {
          ...faults,
          name: 'moving',
          include: ['e2e/long/moving-between-drivers.test.ts', 'e2e/long/random-programs.test.ts'],
          provide: { filesToMove: 2000 },
        },
      },
      {
        test: {
          ...integration,
          include: ['packages/storage-network/test/integration/memory.test.ts'],
          provide: { largeBlobBytes: 5 * 1024 ** 3 },
        },
      },
      {
        test: {
          ...integration,
          name: 'killed',
          include: ['packages/storage-network/test/integration/kill.test.ts'],
          provide: { killsWhileStoring: 10 },
        },
      },
      {
        test: {
          ...e2e,
          include: ['e2e/sdk-memory.test.ts', 'e2e/console/many-files.test.ts'],
          provide: { largeFileBytes: 5 * 1024 ** 3, filesInFolder: 100_000 },
        },
      },
      ...liveOnes,
    ],
  },
})

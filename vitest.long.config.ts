import { defineConfig } from 'vitest/config'
import { faults, integration } from './vitest.config.ts'

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
          ...integration,
          include: ['packages/storage-network/test/integration/memory.test.ts'],
          provide: { largeBlobBytes: 5 * 1024 ** 3 },
        },
      },
    ],
  },
})

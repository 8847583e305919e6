import { defineConfig } from 'vitest/config'

/** unit: pure, no I/O. integration: one workspace against real servers. e2e: the whole stack, over HTTP only. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,services,apps}/*/test/unit/**/*.test.ts', 'tools/test/**/*.test.ts'],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{packages,services,apps}/*/test/integration/**/*.test.ts'],
          globalSetup: ['packages/testing/src/global-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          maxWorkers: 3,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/**/*.test.ts'],
          globalSetup: ['e2e/support/global-setup.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          fileParallelism: false,
        },
      },
    ],
  },
})

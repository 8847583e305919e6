import { defineConfig } from 'vitest/config'

// A run that is over ends at once. While Node waits for native modules (here Vite's bundler) to clean up, it may go round in
// circles for ever (nodejs/node#47748): one whole run of this suite hung so.
process.once('exit', (code) => process.exit(code))

/**
 * unit: pure, no I/O. integration: one workspace against real servers. faults: whole systems of their own that are
 * killed, cut and stopped. e2e: one whole system for all, over HTTP only, one file after the other because some hold its
 * workers. Projects of one `maxWorkers` run side by side; Vitest wants a `groupOrder` for each other number.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{packages,services,apps}/*/test/unit/**/*.test.ts', 'tools/**/*.test.ts'],
          maxWorkers: 3,
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
          name: 'faults',
          include: ['e2e/faults/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['e2e/*.test.ts', 'e2e/browser/**/*.test.ts'],
          globalSetup: ['e2e/support/global-setup.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          fileParallelism: false,
        },
      },
    ],
  },
})

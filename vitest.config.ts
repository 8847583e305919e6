import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { MixedOrder } from './tools/test/mixed-order.ts'

// A run that is over ends at once. While Node waits for native modules (here Vite's bundler) to clean up, it may go
// round in circles for ever (nodejs/node#47748): one whole run of this suite hung so.
process.once('exit', (code) => process.exit(code))

// Inherited by every worker and process of the tests: a hundred of them compile the same files.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url))

/**
 * A worker loads its modules once for all its files, by Node itself, as services load them: nothing rewrites a test or what
 * it tests, and no hooks look for modules to replace. Times are for a machine that does ten other things.
 */
const common = {
  exclude: ['**/*.full.test.ts'],
  isolate: false,
  experimental: { viteModuleRunner: false, nodeLoader: false },
  maxWorkers: 5,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } }, // as long as `waitFor` waits: a busy machine is no failure
  setupFiles: ['note-processor-time', 'fail-on-warnings', 'compare-bytes'].map((name) =>
    fileURLToPath(new URL(`packages/testing/src/${name}.ts`, import.meta.url)),
  ),
}

/**
 * A whole system is ten processes, and waits for most of its time: four of them at once keep two cores busy, and more leave them
 * no time to answer within any limit.
 */
const systems = { ...common, maxWorkers: 4, sequence: { groupOrder: 1 } }

/** Pure, no I/O. */
export const unit = {
  ...common,
  name: 'unit',
  include: ['{packages,services,apps}/*/test/unit/**/*.test.ts', 'tools/{test,*/test}/**/*.test.ts'],
}

/** One workspace against real servers. */
export const integration = {
  ...common,
  name: 'integration',
  include: ['{packages,services}/*/test/integration/**/*.test.ts'],
  globalSetup: ['packages/testing/src/global-setup.ts'],
}

/** What an installation is made of: images, Compose, the chart, the rules of alerts. */
export const deploy = { ...common, name: 'deploy', include: ['deploy/test/**/*.test.ts'] }

/** Whole systems of their own that are killed, cut and stopped. */
export const faults = { ...systems, name: 'faults', include: ['e2e/faults/**/*.test.ts'] }

/** One whole system for all, over HTTP only. */
export const e2e = {
  ...systems,
  name: 'e2e',
  include: ['e2e/*.test.ts', 'e2e/{browser,console}/**/*.test.ts'],
  globalSetup: ['e2e/support/global-setup.ts'],
}

export default defineConfig({
  test: {
    sequence: { sequencer: MixedOrder },
    projects: [unit, integration, deploy, faults, e2e].map((test) => ({ test })),
  },
})

import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { MixedOrder } from './tools/test/mixed-order.ts'

// Exits without the cleanup of native modules (here Vite's bundler), which can loop forever in Node
// (nodejs/node#47748). A run of this suite has hung there.
process.once('exit', (code) => process.exit(code))

// Every worker and process of the tests inherits this cache, because a hundred of them compile the same files.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url))

/**
 * A worker loads its modules once for all its test files, with Node's own loader, as services do. Tests and tested
 * modules are not transformed, and no hook replaces modules. The timeouts allow for a busy machine.
 */
const common = {
  exclude: ['**/*.full.test.ts'],
  isolate: false,
  experimental: { viteModuleRunner: false, nodeLoader: false },
  maxWorkers: 5,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } }, // as in `waitFor`, so that a busy machine causes no failure
  setupFiles: ['note-processor-time', 'fail-on-warnings', 'compare-bytes'].map((name) =>
    fileURLToPath(new URL(`packages/testing/src/${name}.ts`, import.meta.url)),
  ),
}

/**
 * A complete system has ten processes that mostly wait. Four systems at a time keep two cores busy; with more,
 * responses exceed their time limits.
 */
const systems = { ...common, maxWorkers: 4, sequence: { groupOrder: 1 } }

const bundledPrograms = 'packages/testing/src/programs/global-setup.ts'

/** Tests without servers. */
export const unit = {
  ...common,
  name: 'unit',
  include: ['{packages,services,apps}/*/test/unit/**/*.test.ts', 'tools/{test,*/test}/**/*.test.ts'],
}

/** Tests of one workspace against real servers. */
export const integration = {
  ...common,
  name: 'integration',
  include: ['{packages,services}/*/test/integration/**/*.test.ts'],
  globalSetup: [bundledPrograms, 'packages/testing/src/global-setup.ts'],
}

/** Tests of the parts of an installation: images, Compose, the chart, and the alert rules. */
export const deploy = { ...common, name: 'deploy', include: ['deploy/test/**/*.test.ts'] }

/** Tests that each start a complete system, and kill, disconnect, or stop its processes. */
export const faults = {
  ...systems,
  name: 'faults',
  include: ['e2e/faults/**/*.test.ts'],
  globalSetup: [bundledPrograms],
}

/** Tests that share one complete system and use only HTTP. */
export const e2e = {
  ...systems,
  name: 'e2e',
  include: ['e2e/*.test.ts', 'e2e/{browser,console,s3}/**/*.test.ts'],
  globalSetup: [bundledPrograms, 'e2e/support/global-setup.ts'],
}

export default defineConfig({
  test: {
    sequence: { sequencer: MixedOrder },
    projects: [unit, integration, deploy, faults, e2e].map((test) => ({ test })),
  },
})

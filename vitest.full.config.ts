import { defineConfig } from 'vitest/config'
import { MixedOrder } from './tools/test/mixed-order.ts'
import { deploy, e2e, faults, integration, unit } from './vitest.config.ts'

const manyKills = { ...integration, provide: { killsWhileStoring: 10 } }
const bothHelms = { ...deploy, provide: { helms: ['helm3', 'helm4'] as const } }

const local = [unit, manyKills, bothHelms, faults, e2e].map((project) => {
  const { provide = {} } = project as { provide?: object }
  return { ...project, exclude: [], provide: { ...provide, isFullRun: true } }
})

/** Tests against the Walrus network that the environment names. Its publisher pays for the stored blobs. */
const live = { ...unit, name: 'live', include: ['packages/storage-network/test/live/**/*.test.ts'] }

/** Tests of the chart on the Kubernetes cluster of `KUBECONFIG`. */
const cluster = {
  ...bothHelms,
  name: 'cluster',
  include: ['deploy/test-cluster/**/*.test.ts'],
  maxWorkers: 1,
  testTimeout: 900_000,
  hookTimeout: 900_000,
}

const outside = [
  ...(process.env.WALRUS_TEST_PUBLISHER ? [live] : []),
  ...(process.env.KUBECONFIG ? [{ ...cluster, sequence: { groupOrder: 2 } }] : []),
]

/**
 * `npm run test:full`: the tests of `npm test`, and the files `*.full.test.ts`, which rarely find a fault that others
 * miss.
 */
export default defineConfig({
  test: {
    sequence: { sequencer: MixedOrder },
    projects: [...local, ...outside].map((test) => ({ test })),
  },
})

import { defineConfig } from 'vitest/config'

/** The chart against a cluster: `KUBECONFIG=… npm run test:cluster`. Not part of `npm test`, which needs no cluster. */
export default defineConfig({
  test: {
    name: 'cluster',
    include: ['deploy/test-cluster/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
})

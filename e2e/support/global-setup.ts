import type { TestProject } from 'vitest/node'
import { pageOrigin, sharedOperator } from './shared-stack.ts'
import { startTestStack } from './start-test-stack.ts'

/**
 * Vitest's global setup of the e2e project: one system with two gateways for all tests that leave it whole. Each test
 * has accounts of its own there, so none sees another's data.
 */
export default async function setup(project: TestProject) {
  const stack = await startTestStack({
    replicas: { gateway: 2 },
    console: true,
    env: { CORS_ORIGINS: pageOrigin, DEVELOPMENT_OPERATOR: sharedOperator },
  })
  project.provide('stack', stack.describe())
  return () => stack[Symbol.asyncDispose]()
}

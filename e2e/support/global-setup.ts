import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { buildPackage } from '../../packages/cli/build/build-package.ts'
import { pageOrigin, sharedOperator } from './shared-stack.ts'
import { startTestStack } from './start-test-stack.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The CLI as published: a program for Node. It starts in half the time of its sources. */
    commandLine: string
  }
}

/** Programs in this folder find the packages of the checkout, as if npm had installed them. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))

/**
 * The global setup of e2e: one system where each test has its own accounts. One gateway shares a process with the
 * services that it calls, and one is alone. The workers are alone, so that tests can pause them.
 */
export default async function setup(project: TestProject) {
  await using starting = new AsyncDisposableStack()
  await mkdir(cache, { recursive: true })
  const directory = await mkdtemp(join(cache, 'command-line-'))
  starting.defer(() => rm(directory, { recursive: true }))
  await buildPackage(directory)
  project.provide('commandLine', join(directory, 'tideport.mjs'))
  const stack = await startTestStack({
    together: ['gateway', 'auth', 'files', 'webhooks'],
    replicas: { gateway: 2 },
    console: true,
    env: { CORS_ORIGINS: pageOrigin, DEVELOPMENT_OPERATOR: sharedOperator },
  })
  starting.use(stack)
  project.provide('stack', stack.describe())
  const started = starting.move()
  return () => started.disposeAsync()
}

import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import type { TestProject } from 'vitest/node'
import { bundlePrograms } from './bundle-programs.ts'

let bundled: Promise<string> | undefined

/** Global setup of the tests that start programs. While Vitest watches for changes, they start the sources. */
export default async function setup({ vitest }: TestProject): Promise<void> {
  if (vitest.config.watch) return
  bundled ??= bundlePrograms()
  // Workers inherit the environment.
  Object.assign(hostEnvironment(), { TEST_PROGRAMS: await bundled })
}

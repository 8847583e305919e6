import { checkSettings } from '@tideport/dev-stack/stack/check-settings'
import type { Environment, Options } from './options.ts'
import { stackOptionsOf } from './settings.ts'

/** Prints the faults of all settings. Returns the exit code: 1 for a fault. */
export async function check(options: Options, env: Environment): Promise<number> {
  return await checkSettings(stackOptionsOf(options, env))
}

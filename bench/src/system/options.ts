import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** What stands behind the name of a bench of the whole system. */
export interface BenchOptions {
  /** Where CPU profiles of the services go; none when missing. */
  profileDir: string | undefined
}

/** Throws what `parseArgs` says of options that there are not. */
export function parseBenchOptions(args: string[]): BenchOptions {
  const { profile } = parseArgs({ args, options: { profile: { type: 'string' } } }).values
  return { profileDir: profile === undefined ? undefined : resolve(profile) }
}

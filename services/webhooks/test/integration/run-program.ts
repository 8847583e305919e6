import { randomBytes } from 'node:crypto'
import { spawnProgram } from '@tideport/testing/spawn-program'
import type { Setup } from './setup.ts'

/** Runs a program as `operator` does. */
export async function run(
  t: Pick<Setup, 'database'>,
  program: string,
  args: string[] = [],
  keys: readonly Buffer[] = [randomBytes(32)],
) {
  const WEBHOOK_SECRET_KEYS = keys.map((key) => key.toString('base64')).join()
  const env = { DATABASE_URL: t.database.url, WEBHOOK_SECRET_KEYS }
  await using job = spawnProgram(new URL(`../../src/${program}.ts`, import.meta.url), env, args)
  const { code } = await job.ended
  const { stdout, stderr } = job.output
  const printed = args.includes('--json') ? stdout.split('\n').filter(Boolean) : []
  return { code, stdout, stderr, rows: printed.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

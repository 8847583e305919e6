import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import type { setup } from './setup.ts'

type Setup = Awaited<ReturnType<typeof setup>>

/** Runs a program as `operator` does. */
export async function run(
  t: Pick<Setup, 'database'>,
  program: string,
  args: string[] = [],
  keys: readonly Buffer[] = [randomBytes(32)],
) {
  const WEBHOOK_SECRET_KEYS = keys.map((key) => key.toString('base64')).join()
  const env = { ...nodeEnvironment(), DATABASE_URL: t.database.url, WEBHOOK_SECRET_KEYS }
  const path = fileURLToPath(new URL(`../../src/${program}.ts`, import.meta.url))
  return await new Promise<{ code: unknown; rows: Record<string, unknown>[]; stdout: string; stderr: string }>(
    (done) => {
      execFile(process.execPath, [path, ...args], { env }, (error, stdout, stderr) => {
        const rows = args.includes('--json')
          ? stdout
              .split('\n')
              .filter(Boolean)
              .map((line) => JSON.parse(line))
          : []
        done({ code: error ? error.code : 0, rows, stdout, stderr })
      })
    },
  )
}

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Outcome } from './case-list.ts'
import { runProgram } from './run-program.ts'
import type { S3Account } from './s3-account.ts'

/** Runs rclone's backend test. Names are those of its subtests below `TestIntegration`. */
export async function runRcloneTests(programs: string, account: S3Account): Promise<Map<string, Outcome>> {
  const work = await mkdtemp(join(tmpdir(), 'tideport-rclone-'))
  try {
    // The test runs only below a folder with `fstest/testserver/init.d`, as in rclone's sources.
    await mkdir(join(work, 'fstest/testserver/init.d'), { recursive: true })
    await writeFile(join(work, 'rclone.conf'), rcloneRemote(account), { mode: 0o600 })
    const args = ['-test.v', '-test.run', '^TestIntegration$', '-remote', 'tideport:']
    const options = { cwd: work, env: { RCLONE_CONFIG: join(work, 'rclone.conf') }, timeoutMs: 1_200_000 }
    const { output } = await runProgram(join(programs, 's3.test'), args, options)
    return outcomesIn(output)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** The remote `tideport` of a configuration file. Buckets in the path are the only difference to the defaults. */
export const rcloneRemote = ({ accessKeyId, secretAccessKey, endpoint, region }: S3Account) => `[tideport]
type = s3
provider = Other
force_path_style = true
access_key_id = ${accessKeyId}
secret_access_key = ${secretAccessKey}
endpoint = ${endpoint}
region = ${region}
`

function outcomesIn(output: string): Map<string, Outcome> {
  const printed = new Map<string, string[]>()
  let current = ''
  for (const line of output.split('\n')) {
    const [, run] = /^=== (?:RUN|NAME|CONT) +(\S+)/.exec(line) ?? []
    current = run ?? current
    printed.set(current, [...(printed.get(current) ?? []), line])
  }
  const results = output.matchAll(/^ *--- (PASS|FAIL|SKIP): (\S+)/gm)
  return new Map(
    [...results].map(([, result, name = '']) => {
      const shown = { hasPassed: result === 'PASS', output: printed.get(name)?.join('\n') ?? '' }
      return [name.replace(/^TestIntegration\//, ''), shown]
    }),
  )
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Outcome } from './case-list.ts'
import { runProgram } from './run-program.ts'
import type { S3Account } from './s3-account.ts'

type CephRun = {
  /** Checkout of the suite. */
  checkout: string
  /** Python that has the suite's packages. */
  python: string
  /** The suite's users: the main one, another one, and one of another tenant. */
  accounts: { main: CephUser; alt: CephUser; tenant: CephUser }
  names: readonly string[]
}

export type CephUser = S3Account & { id: string; displayName: string }

/** Runs cases of `s3tests/functional/test_s3.py` in four processes. */
export async function runCephTests({ checkout, python, accounts, names }: CephRun): Promise<Map<string, Outcome>> {
  const work = await mkdtemp(join(tmpdir(), 'tideport-s3-tests-'))
  try {
    const [settings, report] = [join(work, 's3tests.conf'), join(work, 'report.xml')]
    await writeFile(settings, settingsOf(accounts), { mode: 0o600 })
    const file = 's3tests/functional/test_s3.py'
    const cases = names.map((name) => `${file}::${name}`)
    const pytest = ['-m', 'pytest', '-q', '-n', '4', '-p', 'no:cacheprovider', `--junitxml=${report}`]
    const env = { S3TEST_CONF: settings, PYTHONDONTWRITEBYTECODE: '1' }
    const options = { cwd: checkout, env, timeoutMs: 3_600_000 }
    const { output } = await runProgram(python, [...pytest, '--tb=short', ...cases], options)
    const outcomes = outcomesIn(await readFile(report, 'utf8').catch(() => ''))
    if (outcomes.size === 0) throw new Error(`pytest wrote no report:\n${output}`)
    return outcomes
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Results by test name. A test with parameters has passed if it passed with all of them. */
function outcomesIn(report: string): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>()
  for (const [, attributes = '', body = ''] of report.matchAll(/<testcase ([^>]*?)(?:\/>|>(.*?)<\/testcase>)/gs)) {
    const name = /\bname="([^"[]+)/.exec(attributes)?.[1] ?? ''
    const [, output] = /<(?:failure|error|skipped)[^>]*>(.*)/s.exec(body) ?? []
    const before = outcomes.get(name)
    const hasPassed = !/<(failure|error|skipped)\b/.test(body) && (before?.hasPassed ?? true)
    outcomes.set(name, { hasPassed, output: output ?? before?.output ?? '' })
  }
  return outcomes
}

function settingsOf({ main, alt, tenant }: CephRun['accounts']): string {
  const { hostname, port } = new URL(main.endpoint)
  return `
[DEFAULT]
host = ${hostname}
port = ${port}
is_secure = False
ssl_verify = False
[fixtures]
bucket prefix = s3-tests-{random}-
[s3 main]
api_name = ${main.region}
${userLines(main)}
[s3 alt]
${userLines(alt)}
[s3 tenant]
tenant = tenant
${userLines(tenant)}
[iam]
${userLines(alt)}
[iam root]
${userLines(main)}
[iam alt root]
${userLines(alt)}
`
}

const userLines = ({ id, displayName, accessKeyId, secretAccessKey }: CephUser) =>
  [
    `user_id = ${id}`,
    `display_name = ${displayName}`,
    'email = test@example.com',
    `access_key = ${accessKeyId}`,
    `secret_key = ${secretAccessKey}`,
  ].join('\n')

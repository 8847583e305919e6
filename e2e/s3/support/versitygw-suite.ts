import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverBinary } from '@tideport/dev-stack/binaries/server-binary'
import type { Outcome } from './case-list.ts'
import { runProgram } from './run-program.ts'
import type { S3Account } from './s3-account.ts'

/** Runs cases of the client suite in versitygw, several at a time, each by its own account and process. */
export async function runVersitygwCases(
  names: readonly string[],
  { newAccount, atOnce = 4 }: { newAccount: () => Promise<S3Account>; atOnce?: number },
): Promise<Map<string, Outcome>> {
  // The program creates folders where it runs, and names itself in what it signs.
  const cwd = await mkdtemp(join(tmpdir(), 'tideport-versitygw-suite-'))
  try {
    await symlink(await serverBinary('versitygw'), join(cwd, 'versitygw'))
    const outcomes = new Map<string, Outcome>()
    const left = names.values()
    const work = async () => {
      for (const name of left) outcomes.set(name, await runCase(cwd, name, await newAccount()))
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return outcomes
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

async function runCase(cwd: string, name: string, account: S3Account): Promise<Outcome> {
  const { accessKeyId, secretAccessKey, endpoint } = account
  const args = ['test', '--access', accessKeyId, '--secret', secretAccessKey, '--endpoint', endpoint, name]
  const { code, output } = await runProgram('./versitygw', args, { cwd })
  return { hasPassed: code === 0, output }
}

import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { nodeEnvironment } from '@tideport/testing/node-environment'

const run = promisify(execFile)

/** The newest tag of a release below this commit, or the commit that RELEASE_BEFORE names; undefined while there is none. */
export function lastRelease(): string | undefined {
  if (process.env.RELEASE_BEFORE) return process.env.RELEASE_BEFORE
  try {
    const tags = execFileSync('git', ['tag', '--merged', 'HEAD', '--sort=-v:refname', '--list', 'v*'], {
      stdio: 'pipe',
    })
    return tags.toString().split('\n')[0] || undefined
  } catch {
    return undefined // a copy without its history
  }
}

/** Its sources and what they need, in a directory of their own; gone on disposal. */
export async function installRelease(release: string) {
  const directory = await mkdtemp(join(tmpdir(), 'tideport-release-'))
  const archive = execFileSync('git', ['archive', release], { maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', directory], { input: archive })
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory, env: nodeEnvironment(), maxBuffer: 2 ** 26 })
  return {
    program: new URL('packages/dev-stack/src/main.ts', pathToFileURL(`${directory}/`)),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  }
}

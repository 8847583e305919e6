import { execFile } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { createTemporaryDirectory } from '@tideport/testing/temporary-directory'
import { inject } from 'vitest'

/**
 * Runs `tideport` commands in a separate home directory, with `photo.jpg` and `album`. Returns the output. Rejects if a
 * command fails.
 */
export async function runCommandLineExample(script: string, given: Record<string, string>): Promise<string> {
  await using directory = await createTemporaryDirectory('cli-example')
  const at = (name: string) => join(directory.path, name)
  await mkdir(at('bin'))
  await writeFile(at('bin/tideport'), `#!/bin/sh\nexec '${process.execPath}' '${inject('commandLine')}' "$@"\n`)
  await chmod(at('bin/tideport'), 0o755)
  await mkdir(at('album'))
  await writeFile(at('photo.jpg'), crypto.getRandomValues(new Uint8Array(40_000)))
  await writeFile(at('album/cover.jpg'), crypto.getRandomValues(new Uint8Array(3000)))
  const PATH = [at('bin'), process.env.PATH].join(delimiter)
  const options = { cwd: directory.path, env: { PATH, HOME: directory.path, ...given }, timeout: 270_000 }
  return (await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], options)).stdout
}

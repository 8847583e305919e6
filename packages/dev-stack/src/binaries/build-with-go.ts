import { join } from 'node:path'
import { runCommand } from '../processes/run-command.ts'
import type { BinaryRequest } from './binary-request.ts'
import { pinsDir } from './server-tool.ts'

/**
 * Builds the version that `tools/<name>` pins, with the installed Go and no other toolchain. Returns the binary's path.
 */
export async function buildWithGo({ tool, workDir, environment, out }: BinaryRequest): Promise<string> {
  const env = { ...environment, GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' }
  const cwd = pinsDir(tool)
  const onProgress = (seconds: number) => out(`${tool.name}: still building (${seconds} s)`)
  await runCommand('go', ['version'], { env, cwd, timeoutMs: 10_000 })
  out(`${tool.name}: building with Go, about a minute`)
  await runCommand('go', ['mod', 'download'], { env, cwd, timeoutMs: 180_000, onProgress })
  const file = join(workDir, tool.name)
  const args = ['build', '-trimpath', '-ldflags=-s -w', '-o', file, tool.goPackage]
  await runCommand('go', args, { env, cwd, timeoutMs: 900_000, onProgress })
  return file
}

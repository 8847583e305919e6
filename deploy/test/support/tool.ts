import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDir } from '@tideport/dev-stack/binaries/cache-dir'
import { findOnPath } from '@tideport/dev-stack/binaries/find-on-path'
import { exists } from '@tideport/dev-stack/file-system/exists'
import { withFileLock } from '@tideport/dev-stack/processes/file-lock'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { runCommand } from '@tideport/dev-stack/processes/run-command'

export type ToolName = 'helm3' | 'helm4' | 'kubeconform'

/** A program that tests the chart: its name, the Go package, and how it prints its version. */
const tools: Record<ToolName, { program: string; goPackage: string; version: string[]; wanted: RegExp }> = {
  helm3: { program: 'helm', goPackage: 'helm.sh/helm/v3/cmd/helm', version: ['version', '--short'], wanted: /^v3\./ },
  helm4: { program: 'helm', goPackage: 'helm.sh/helm/v4/cmd/helm', version: ['version', '--short'], wanted: /^v4\./ },
  kubeconform: {
    program: 'kubeconform',
    goPackage: 'github.com/yannh/kubeconform/cmd/kubeconform',
    version: ['-v'],
    wanted: /./,
  },
}

/** The program's path, or why it is missing. */
export type Tool = { path: string } | { missing: string }

const found = new Map<ToolName, Promise<Tool>>()

/** Looks in PATH and the cache, then builds the version in `tools/<name>/go.mod` with Go. */
export function tool(name: ToolName): Promise<Tool> {
  const known = found.get(name) ?? find(name)
  found.set(name, known)
  return known
}

async function find(name: ToolName): Promise<Tool> {
  const env = hostEnvironment()
  const { program, version, wanted } = tools[name]
  for (const candidate of [name, program]) {
    for (const path of await findOnPath(candidate, env)) {
      const output = await runCommand(path, version, { env, timeoutMs: 10_000 }).catch(() => '')
      if (wanted.test(output)) return { path }
    }
  }
  const cached = join(cacheDir(env), 'bin', `${name}-${await pins(name)}-${process.platform}-${process.arch}`)
  await mkdir(join(cached, '..'), { recursive: true, mode: 0o755 })
  try {
    await withFileLock(`${cached}.lock`, async () => {
      if (!(await exists(cached))) await build(name, cached)
    })
    return { path: cached }
  } catch (error) {
    return { missing: `${name} is not on PATH and could not be built with Go: ${(error as Error).message}` }
  }
}

const pinsDir = (name: ToolName) => fileURLToPath(new URL(`../../../tools/${name}`, import.meta.url))

/** The name depends on the pinned versions, so an old cache never returns an old version. */
async function pins(name: ToolName): Promise<string> {
  const [mod, sum] = await Promise.all(['go.mod', 'go.sum'].map((file) => readFile(join(pinsDir(name), file))))
  return createHash('sha256')
    .update(mod as Buffer)
    .update(sum as Buffer)
    .digest('hex')
    .slice(0, 16)
}

async function build(name: ToolName, target: string): Promise<void> {
  const env = { ...hostEnvironment(), GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' }
  const workDir = await mkdtemp(`${target}.`)
  try {
    const args = ['build', '-trimpath', '-ldflags=-s -w', '-o', join(workDir, name), tools[name].goPackage]
    await runCommand('go', args, { env, cwd: pinsDir(name), timeoutMs: 900_000 })
    await rename(join(workDir, name), target)
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
}

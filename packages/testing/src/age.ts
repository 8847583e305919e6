import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDir } from '@tideport/dev-stack/binaries/cache-dir'
import { exists } from '@tideport/dev-stack/file-system/exists'
import { withFileLock } from '@tideport/dev-stack/processes/file-lock'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { runCommand } from '@tideport/dev-stack/processes/run-command'

const pins = fileURLToPath(new URL('../../../tools/age', import.meta.url))

/** Builds the `age` programs that `tools/age` pins with Go, and caches them. Undefined if the build fails. */
export async function agePrograms(): Promise<string | undefined> {
  const goMod = await readFile(join(pins, 'go.mod'), 'utf8')
  const [, version] = /filippo\.io\/age v(\S+)/.exec(goMod) ?? []
  const directory = join(cacheDir(), 'bin', `age-${version}-${process.platform}-${process.arch}`)
  if (await exists(directory)) return directory
  await mkdir(join(cacheDir(), 'bin'), { recursive: true, mode: 0o755 })
  await withFileLock(`${directory}.lock`, async () => {
    if (!(await exists(directory))) await build(directory).catch(() => {})
  })
  return (await exists(directory)) ? directory : undefined
}

async function build(directory: string): Promise<void> {
  const env = { ...hostEnvironment(), GOTOOLCHAIN: 'local', CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOWORK: 'off' }
  const work = await mkdtemp(`${directory}-`)
  try {
    await runCommand('go', ['build', '-trimpath', '-o', `${work}/`, 'tool'], { env, cwd: pins, timeoutMs: 300_000 })
    await rename(work, directory)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

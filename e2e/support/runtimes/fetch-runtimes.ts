import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDir } from '@tideport/dev-stack/binaries/cache-dir'
import { exists } from '@tideport/dev-stack/file-system/exists'
import { withFileLock } from '@tideport/dev-stack/processes/file-lock'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { runCommand } from '@tideport/dev-stack/processes/run-command'

const pins = fileURLToPath(new URL('../../../tools/runtimes/', import.meta.url))

/**
 * The `node_modules` with the runtimes that `tools/runtimes` pins, fetched by npm into the cache once; no script of a
 * package is run. Undefined where they cannot be had.
 */
export async function fetchRuntimes(): Promise<string | undefined> {
  const lock = await readFile(join(pins, 'package-lock.json'))
  const name = createHash('sha256').update(lock).digest('hex').slice(0, 12)
  const directory = join(cacheDir(), `runtimes-${name}`)
  await mkdir(cacheDir(), { recursive: true, mode: 0o755 })
  if (!(await exists(directory))) {
    await withFileLock(`${directory}.lock`, async () => {
      if (!(await exists(directory))) await install(directory).catch(() => {})
    })
  }
  return (await exists(directory)) ? join(directory, 'node_modules') : undefined
}

async function install(directory: string): Promise<void> {
  const work = await mkdtemp(`${directory}-`)
  try {
    for (const file of ['package.json', 'package-lock.json']) await cp(join(pins, file), join(work, file))
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
    await runCommand('npm', args, { env: hostEnvironment(), cwd: work, timeoutMs: 300_000 })
    await rename(work, directory)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

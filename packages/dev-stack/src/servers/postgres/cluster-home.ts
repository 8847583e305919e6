import { createHash, randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { exists } from '../../file-system/exists.ts'
import { findClosedDir } from './find-closed-dir.ts'
import { isServerRunning } from './postmaster-lock.ts'
import type { SystemUser } from './unprivileged-user.ts'

const relocatedDir = '/var/lib/tideport'
const pointerName = 'relocated-to'

/**
 * The directory of the cluster and its password: `dataDir`, or, if `user` cannot enter `dataDir`, a directory in
 * /var/lib/tideport that a pointer file in `dataDir` names.
 */
export async function clusterHome(dataDir: string, user: SystemUser | undefined): Promise<string> {
  await mkdir(dataDir, { recursive: true, mode: 0o711 })
  if (user === undefined) return dataDir
  const pointer = join(dataDir, pointerName)
  const known = await readFile(pointer, 'utf8').catch(() => undefined)
  if (known !== undefined) return known
  // Changes the mode only of an empty directory. Mode 0711 lets other users pass through, but not list it.
  if ((await readdir(dataDir)).length === 0) await chmod(dataDir, 0o711)
  if ((await findClosedDir(dataDir, user)) === undefined) return dataDir
  const name = `postgres-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
  const home = join(relocatedDir, `${name}-${randomBytes(4).toString('hex')}`)
  await mkdir(relocatedDir, { recursive: true, mode: 0o755 })
  await removeLeftOverHomes()
  await mkdir(home, { mode: 0o711 })
  await writeFile(join(home, 'made-for'), dataDir, { mode: 0o600 })
  await writeFile(pointer, home, { mode: 0o600 })
  return home
}

/** Removes homes of deleted temporary directories only. Other missing directories may be on an unmounted disk. */
async function removeLeftOverHomes(): Promise<void> {
  for (const name of await readdir(relocatedDir)) {
    const home = join(relocatedDir, name)
    const dataDir = await readFile(join(home, 'made-for'), 'utf8').catch(() => undefined)
    const isLeftOver = dataDir?.startsWith(`${tmpdir()}/`) && !(await exists(dataDir))
    if (isLeftOver && !(await isServerRunning(join(home, 'cluster')))) await rm(home, { recursive: true, force: true })
  }
}

/** Removes the cluster of `dataDir`, including a relocated one. Call it only while no server runs on the cluster. */
export async function removeCluster(dataDir: string): Promise<void> {
  const home = await readFile(join(dataDir, pointerName), 'utf8').catch(() => undefined)
  if (home !== undefined && dirname(home) === relocatedDir) await rm(home, { recursive: true, force: true })
  await rm(dataDir, { recursive: true, force: true })
}

import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Removes a killed server's lock if another program now has its pid, because Postgres does not detect that. */
export async function clearStaleLock(cluster: string): Promise<void> {
  const command = await lockHolder(cluster)
  if (command !== undefined && !command.includes(cluster)) await rm(lockFile(cluster), { force: true })
}

export async function isServerRunning(cluster: string): Promise<boolean> {
  return (await lockHolder(cluster))?.includes(cluster) ?? false
}

const lockFile = (cluster: string) => join(cluster, 'postmaster.pid')

async function lockHolder(cluster: string): Promise<string | undefined> {
  const content = await readFile(lockFile(cluster), 'utf8').catch(() => undefined)
  return content === undefined ? undefined : commandLine(Number.parseInt(content, 10))
}

async function commandLine(pid: number): Promise<string | undefined> {
  if (!(pid > 0)) return undefined
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)
  return promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)]).then(
    ({ stdout }) => stdout,
    () => undefined,
  )
}

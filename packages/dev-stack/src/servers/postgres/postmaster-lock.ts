import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Removes the lock file of a server that was killed if its pid has since gone to another program: Postgres itself only
 * sees that the pid is alive and would refuse to start. Every other case Postgres decides better.
 */
export async function clearStaleLock(cluster: string): Promise<void> {
  const command = await lockHolder(cluster)
  if (command !== undefined && !command.includes(cluster)) await rm(lockFile(cluster), { force: true })
}

/** Whether a server runs on this cluster, whoever started it. */
export async function isServerRunning(cluster: string): Promise<boolean> {
  return (await lockHolder(cluster))?.includes(cluster) ?? false
}

const lockFile = (cluster: string) => join(cluster, 'postmaster.pid')

/** The command line of the process whose pid is in the lock file; undefined without file or process. */
async function lockHolder(cluster: string): Promise<string | undefined> {
  const content = await readFile(lockFile(cluster), 'utf8').catch(() => undefined)
  return content === undefined ? undefined : commandLine(Number.parseInt(content, 10))
}

/** The command line of a running process; undefined when there is none with this pid. */
async function commandLine(pid: number): Promise<string | undefined> {
  if (!(pid > 0)) return undefined
  if (process.platform === 'linux') return readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)
  return promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)]).then(
    ({ stdout }) => stdout,
    () => undefined,
  )
}

import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/**
 * Removes the lock file of a server that was killed if its pid has since gone to another program: Postgres itself only
 * sees that the pid is alive and would refuse to start. Every other case Postgres decides better.
 */
export async function clearStaleLock(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid')
  const content = await readFile(file, 'utf8').catch(() => undefined)
  if (content === undefined) return
  const command = await commandLine(Number.parseInt(content, 10))
  if (command !== undefined && !command.includes(cluster)) await rm(file, { force: true })
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

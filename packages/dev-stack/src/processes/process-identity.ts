import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Start time and boot, which differ for a later process with the same pid. Undefined for no process or a zombie. */
export async function processIdentity(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? identityFromProc(pid) : identityFromPs(pid)
}

async function identityFromProc(pid: number): Promise<string | undefined> {
  const [stat, bootId] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8').catch(undefinedIfGone),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => 'unknown-boot'),
  ])
  // The command is in parentheses and may contain spaces and parentheses, so fields are counted after the last ")".
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startedAtTicks] = [fields?.[0], fields?.[19]]
  if (state === undefined || state === 'Z' || state === 'X') return undefined
  return `${startedAtTicks}@${bootId.trim()}`
}

/** Other errors, such as too many open files, do not prove that the process is missing. */
function undefinedIfGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error
}

async function identityFromPs(pid: number): Promise<string | undefined> {
  const output = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]).catch(() => undefined)
  const [, state, startedAt] = /^(\S+)\s+(.+)$/.exec(output?.stdout.trim() ?? '') ?? []
  return state === undefined || state.startsWith('Z') ? undefined : startedAt
}

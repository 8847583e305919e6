import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/** Tells a process from a later one with its pid, by start time and boot. Undefined for none, and for a zombie. */
export async function processIdentity(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? identityFromProc(pid) : identityFromPs(pid)
}

async function identityFromProc(pid: number): Promise<string | undefined> {
  const [stat, bootId] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8').catch(undefinedIfGone),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => 'unknown-boot'),
  ])
  // The command, in parentheses, may hold spaces and parentheses: fields are counted from behind the last one.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startedAtTicks] = [fields?.[0], fields?.[19]]
  if (state === undefined || state === 'Z' || state === 'X') return undefined
  return `${startedAtTicks}@${bootId.trim()}`
}

/** Any other fault, as of too many open files, says nothing about the process. */
function undefinedIfGone(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error
}

async function identityFromPs(pid: number): Promise<string | undefined> {
  const output = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]).catch(() => undefined)
  const [, state, startedAt] = /^(\S+)\s+(.+)$/.exec(output?.stdout.trim() ?? '') ?? []
  return state === undefined || state.startsWith('Z') ? undefined : startedAt
}

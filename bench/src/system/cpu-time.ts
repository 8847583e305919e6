import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/**
 * CPU that a process took so far, of all its threads, in its own code and in the kernel; µs. Linux alone tells. With
 * `ended`, also what those of its children took that have ended.
 */
export async function cpuTime(pid: number, { ended = false } = {}): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // Behind the name, which may hold anything: utime, stime, cutime and cstime are fields 14 to 17 (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, ended ? 15 : 13).reduce((sum, field) => sum + Number(field), 0)
  return (ticks / ticksPerSecond) * 1e6
}

import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** CPU that a process took so far, of all its threads, in its own code and in the kernel; µs. Linux alone tells. */
export async function cpuTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // Behind the name, which may hold anything: utime and stime are fields 14 and 15 (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6
}

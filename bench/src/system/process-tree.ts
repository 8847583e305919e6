import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'

/** Microseconds of CPU of a process, its exited children, and its running children. */
export async function cpuOfTree(pid: number): Promise<number> {
  const own = await cpuTime(pid, { ended: true })
  const living = await Promise.all((await childrenOf(pid)).map((child) => cpuTime(child).catch(() => 0)))
  return living.reduce((sum, us) => sum + us, own)
}

/** Private bytes only, so Postgres' shared buffers are not counted. */
export async function sizeOfTree(pid: number): Promise<{ memory: number; children: number }> {
  const children = await childrenOf(pid)
  const sizes = await Promise.all([pid, ...children].map((one) => privateBytes(one).catch(() => 0)))
  return { memory: sizes.reduce((sum, bytes) => sum + bytes, 0), children: children.length }
}

/** Proportional set size of a process and its descendants, which counts shared pages once. */
export async function pssOfTree(pid: number): Promise<number> {
  const [own, children] = await Promise.all([pss(pid).catch(() => 0), childrenOf(pid).catch(() => [])])
  const below = await Promise.all(children.map(pssOfTree))
  return below.reduce((sum, bytes) => sum + bytes, own)
}

async function pss(pid: number): Promise<number> {
  return Number(/^Pss:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) * 1024
}

async function childrenOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`)
  const lists = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')))
  return lists.join(' ').split(/\s+/).filter(Boolean).map(Number)
}

async function privateBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  const lines = rollup.match(/^Private_(?:Clean|Dirty):\s+\d+/gm) ?? []
  return lines.reduce((sum, line) => sum + Number(/\d+$/.exec(line)?.[0]) * 1024, 0)
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** CPU of all threads in µs, user and kernel. With `ended`, includes exited children. Linux only. */
async function cpuTime(pid: number, { ended = false } = {}): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // Skips the name, which may contain any text. utime, stime, cutime, and cstime are fields 14 to 17 (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, ended ? 15 : 13).reduce((sum, field) => sum + Number(field), 0)
  return (ticks / ticksPerSecond) * 1e6
}

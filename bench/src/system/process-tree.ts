import { readdir, readFile } from 'node:fs/promises'
import { cpuTime } from './cpu-time.ts'

/** Microseconds of CPU: of a process, of its children that ended, and of those that live. */
export async function cpuOfTree(pid: number): Promise<number> {
  const own = await cpuTime(pid, { ended: true })
  const living = await Promise.all((await childrenOf(pid)).map((child) => cpuTime(child).catch(() => 0)))
  return living.reduce((sum, us) => sum + us, own)
}

/** Bytes that no other process shares, so that Postgres' buffers count once for nobody. */
export async function sizeOfTree(pid: number): Promise<{ memory: number; children: number }> {
  const children = await childrenOf(pid)
  const sizes = await Promise.all([pid, ...children].map((one) => privateBytes(one).catch(() => 0)))
  return { memory: sizes.reduce((sum, bytes) => sum + bytes, 0), children: children.length }
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

import { readFileSync } from 'node:fs'
import { afterAll } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a test file in seconds, without the Postgres, store, and system that all files share. */
    processorSeconds?: number
  }
}

const TICKS_PER_SECOND = 100

/** Setup of all tests: records processor time of the worker and, on Linux, of its exited children. */
const before = processorSeconds()
// biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of fixtures from this pattern
afterAll(({}, file) => {
  file.meta.processorSeconds = processorSeconds() - before
})

function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + (process.platform === 'linux' ? secondsOfChildren() : 0)
}

/** Fields 16 and 17 of `man 5 proc_pid_stat`. The second field, the name, may contain spaces. */
function secondsOfChildren(): number {
  const [user, system] = (readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1) ?? '').split(' ').slice(13, 15)
  return (Number(user) + Number(system)) / TICKS_PER_SECOND
}

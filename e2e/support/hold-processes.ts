import type { StackFile } from './start-test-stack.ts'

/** Stops all processes of a worker in their tracks, so that files stay in the state before its; disposing lets them go on. */
export function holdProcesses(stack: StackFile, name: 'sync' | 'eviction') {
  const pids = stack.processes.filter((process) => process.name === name).map(({ pid }) => pid)
  const signal = (kind: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of pids) process.kill(pid, kind)
  }
  signal('SIGSTOP')
  const release = () => signal('SIGCONT')
  return { release, [Symbol.dispose]: release }
}

import { releaseFileLock, takeFileLock } from '@tideport/dev-stack/processes/file-lock'
import type { StackFile } from './start-test-stack.ts'

type Worker = 'sync' | 'eviction'

/** Pauses these workers until disposal. Waits for other holders, so pause two workers in one call. */
export async function holdProcesses(stack: StackFile, ...names: Worker[]) {
  const lock = `${stack.networkDir}.held`
  await takeFileLock(lock)
  const held = new Set<Worker>(names)
  for (const name of names) signalAll(stack, name, 'SIGSTOP')

  /** Continues one worker before the others. */
  async function release(name: Worker): Promise<void> {
    if (!held.delete(name)) return
    signalAll(stack, name, 'SIGCONT')
    if (held.size === 0) await releaseFileLock(lock)
  }
  return {
    release,
    async [Symbol.asyncDispose]() {
      for (const name of names) await release(name)
    },
  }
}

function signalAll(stack: StackFile, worker: Worker, signal: NodeJS.Signals): void {
  for (const { name, pid } of stack.processes) if (name === worker) process.kill(pid, signal)
}

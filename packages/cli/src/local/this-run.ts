import { randomUUID } from 'node:crypto'

/** Tells this process from one before it that had its id, as in containers, where all are 1. */
export const thisRun = randomUUID().slice(0, 8)

/** Whether a process of this machine has this id. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether what a process has left behind is nobody's any more. */
export const isGone = (pid: number, run: string): boolean => (pid === process.pid ? run !== thisRun : !isRunning(pid))

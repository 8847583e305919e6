import { randomUUID } from 'node:crypto'

/** Tells this process from one before it that had its id, as in containers, where all are 1. */
export const thisRun = randomUUID().slice(0, 8)

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

export const isGone = (pid: number, run: string): boolean => (pid === process.pid ? run !== thisRun : !isRunning(pid))

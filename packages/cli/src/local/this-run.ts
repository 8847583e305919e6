import { randomUUID } from 'node:crypto'

/** Distinguishes this process from an earlier one with the same ID, as in containers, where every ID is 1. */
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

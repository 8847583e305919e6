import { waitFor } from '@tideport/testing/wait-for'
import type { StackFile, startTestStack } from '../../support/start-test-stack.ts'

/** The functions that the systems of `startTestStack` and `startDrill` share. */
export type TestStack = Omit<Awaited<ReturnType<typeof startTestStack>>, 'changeNetworks'>
export type StackProcess = StackFile['processes'][number]

/** Sends a signal to a process of the stack. Ignores a process that has already exited. */
export function signalProcess({ pid }: StackProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The current process with this name. */
export function findProcess(stack: TestStack, name: StackProcess['name'], replica = 0): StackProcess {
  const found = stack.describe().processes.find((process) => process.name === name && process.replica === replica)
  if (!found) throw new Error(`The stack has no ${name} number ${replica}`)
  return found
}

/** Kills a process with SIGKILL and waits until a new process has replaced it. */
export async function killProcess(stack: TestStack, name: StackProcess['name'], replica = 0): Promise<void> {
  const killed = findProcess(stack, name, replica)
  signalProcess(killed, 'SIGKILL')
  await waitFor(() => findProcess(stack, name, replica).pid !== killed.pid, {
    what: `${name} number ${replica} to run again`,
    timeoutMs: 150_000,
  })
}

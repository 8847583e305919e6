import { waitFor } from '@tideport/testing/wait-for'
import type { StackFile, startTestStack } from '../../support/start-test-stack.ts'

/** A whole system, as far as it can be stopped and started again on its data as well. */
export type TestStack = Omit<Awaited<ReturnType<typeof startTestStack>>, 'changeNetworks'>
export type StackProcess = StackFile['processes'][number]

/** Sends a signal to one process of the stack; one that is gone already stays gone. */
export function signalProcess({ pid }: StackProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The process of that name that runs now. */
export function findProcess(stack: TestStack, name: StackProcess['name'], replica = 0): StackProcess {
  const found = stack.describe().processes.find((process) => process.name === name && process.replica === replica)
  if (!found) throw new Error(`The stack has no ${name} number ${replica}`)
  return found
}

/** kill -9, and waits until another process runs in its place. */
export async function killProcess(stack: TestStack, name: StackProcess['name'], replica = 0): Promise<void> {
  const killed = findProcess(stack, name, replica)
  signalProcess(killed, 'SIGKILL')
  await waitFor(() => findProcess(stack, name, replica).pid !== killed.pid, {
    what: `${name} number ${replica} to run again`,
    timeoutMs: 150_000,
  })
}

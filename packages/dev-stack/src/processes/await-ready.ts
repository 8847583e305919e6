import { setTimeout as delay } from 'node:timers/promises'
import type { RunningChild } from './run-child.ts'

const pollMs = 50

/** A process exited before it was ready, or was not ready in time. `message` contains its last lines of output. */
export class StartError extends Error {
  override name = 'StartError'
}

/**
 * An error of `isReady` means that the process is not ready yet. Stops the process and throws a `StartError` if the
 * process exits or is not ready after `timeoutMs`.
 */
export async function awaitReady(
  name: string,
  child: RunningChild,
  isReady: () => Promise<boolean>,
  timeoutMs: number,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  let ended = false
  void child.exited.then(() => {
    ended = true
  })
  while (!ended && Date.now() < deadline) {
    if ((await isReady().catch(() => false)) && !ended) return
    await delay(pollMs)
  }
  await child.stop()
  const { code, signal } = await child.exited
  const how = ended ? `exited with ${signal ?? `code ${code}`} before it was ready` : `was not ready in ${timeoutMs} ms`
  throw new StartError([`${name} ${how}. Its last output:`, ...child.recentLines()].join('\n  '))
}

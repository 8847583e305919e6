import { setTimeout as delay } from 'node:timers/promises'
import type { RunningChild } from './run-child.ts'

const pollMs = 100

/** A process that ended, or did not get ready, before its time; `message` carries the last lines it printed. */
export class StartError extends Error {
  override name = 'StartError'
}

/**
 * A throw of `isReady` means not yet. Stops the process and throws a `StartError` on its exit, or after `timeoutMs`.
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

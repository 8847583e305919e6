import { setTimeout as wait } from 'node:timers/promises'

/** Resolves after so long; rejects with the signal's reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}

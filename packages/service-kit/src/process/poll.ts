import { createBackoff } from './backoff.ts'
import { type EveryOptions, every, type PeriodicTask } from './every.ts'

export interface Poll extends PeriodicTask {
  /** Call when this process may soon create due work. Polls after the shortest pause, and often from then on. */
  stir(): void
}

export function stirring<Given extends unknown[]>(
  polls: readonly Pick<Poll, 'stir'>[],
  handle: (...given: Given) => Promise<void>,
): (...given: Given) => Promise<void> {
  return async (...given) => {
    try {
      await handle(...given)
    } finally {
      for (const one of polls) one.stir()
    }
  }
}

interface PollPauses {
  /** The pause after a poll that found something, and after `wake` and `stir`. */
  minMs: number
  /** The longest pause. Pauses double up to it while polls find nothing. */
  maxMs: number
}

/** Like `every`, with growing pauses while `look` finds nothing. A `look` that throws counts as finding nothing. */
export function poll(
  { minMs, maxMs }: PollPauses,
  name: string,
  look: (signal: AbortSignal) => Promise<boolean>,
  options: EveryOptions,
): Poll {
  const pause = createBackoff({ minMs: Math.min(minMs, maxMs), maxMs })
  let soon: NodeJS.Timeout | undefined
  async function lookOnce(signal: AbortSignal): Promise<void> {
    if (await look(signal)) pause.reset()
  }
  const task = every(pause.next, name, lookOnce, options)
  function wake(): void {
    pause.reset()
    task.wake()
  }
  function wakeSoon(): void {
    soon = undefined
    wake()
  }
  return {
    wake,
    stir() {
      soon ??= setTimeout(wakeSoon, Math.min(minMs, maxMs)).unref()
    },
    stopped: task.stopped,
    async [Symbol.asyncDispose]() {
      clearTimeout(soon)
      await task[Symbol.asyncDispose]()
    },
  }
}

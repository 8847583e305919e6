import type { Heartbeat, WaitBudget } from '@tideport/service-kit/context/wait-budget'

export interface WaitingLines<K> {
  /** Resolves to a place, to be disposed of. Rejects when the budget is spent while no heartbeat is seen. */
  enter(key: K, waitBudget: WaitBudget): Promise<Disposable>
}

export interface WaitingLinesOptions {
  places: number
  /** Beats when work that began inside came to an end. */
  heartbeat: Heartbeat
  /** The error for those who waited in vain. */
  tooLate: () => Error
}

interface Line {
  taken: number
  waiting: Set<() => void>
}

export function createWaitingLines<K>({ places, heartbeat, tooLate }: WaitingLinesOptions): WaitingLines<K> {
  const lines = new Map<K, Line>()

  /** The place goes to the next in line, if there is one. */
  function leave(key: K, line: Line): void {
    const [next] = line.waiting
    if (next !== undefined) {
      line.waiting.delete(next)
      next()
    } else if (--line.taken === 0) lines.delete(key)
  }

  async function wait({ waiting }: Line, waitBudget: WaitBudget): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.add(resolve)
    await waitBudget.spendSilence(promise, heartbeat, () => {
      waiting.delete(resolve)
      reject(tooLate())
    })
  }

  return {
    async enter(key, waitBudget) {
      const line = lines.get(key) ?? { taken: 0, waiting: new Set() }
      lines.set(key, line)
      if (line.taken >= places) await wait(line, waitBudget)
      else line.taken += 1
      return { [Symbol.dispose]: () => leave(key, line) }
    },
  }
}

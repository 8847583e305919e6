import type { Socket } from 'node:net'
import { Heartbeat, type WaitBudget } from '@tideport/service-kit/context/wait-budget'
import { unavailable } from '@tideport/service-kit/process/app-error'
import { isRefusal } from '../identity/unauthenticated.ts'
import { requestWaitBudget } from '../upstream/request-wait-budget.ts'

/** Enough for an office whose keys are all new to this process, and a small load for auth if all are guesses. */
const PER_ADDRESS_MAX = 8

interface Newcomer {
  socket: Socket
  address: string
}

/**
 * Limits concurrent lookups per address and connection, so guesses delay only themselves. 503 after the wait budget.
 */
export function createNewKeyThrottle() {
  const heartbeat = new Heartbeat()
  const tooLate = () => unavailable('Authentication is temporarily unavailable')
  const ofConnection = createWaitingLines<Socket>({ places: 1, heartbeat, tooLate })
  const ofAddress = createWaitingLines<string>({ places: PER_ADDRESS_MAX, heartbeat, tooLate })
  return async <T>({ socket, address }: Newcomer, lookUp: () => Promise<T>): Promise<T> => {
    const waitBudget = requestWaitBudget()
    using _one = await ofConnection.enter(socket, waitBudget)
    using _few = await ofAddress.enter(address, waitBudget)
    try {
      const found = await lookUp()
      heartbeat.beat()
      return found
    } catch (error) {
      if (isRefusal(error)) heartbeat.beat()
      throw error
    }
  }
}

interface WaitingLines<K> {
  /** Resolves to a place, which the caller disposes of. Rejects when the budget is spent without a heartbeat. */
  enter(key: K, waitBudget: WaitBudget): Promise<Disposable>
}

interface WaitingLinesOptions {
  places: number
  /** Beats when a lookup has completed. */
  heartbeat: Heartbeat
  /** The error when the wait budget is spent. */
  tooLate: () => Error
}

interface Line {
  taken: number
  waiting: Set<() => void>
}

function createWaitingLines<K>({ places, heartbeat, tooLate }: WaitingLinesOptions): WaitingLines<K> {
  const lines = new Map<K, Line>()

  /** Passes the place to the next in line, if any. */
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

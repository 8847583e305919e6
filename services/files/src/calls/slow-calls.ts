import { AppError } from '@tideport/service-kit/process/app-error'

/** Of one account under way at once; the rest of its calls wait, without a database connection. */
const RUNNING_PER_ACCOUNT = 2

/** Keeps calls that may take long from taking what the quick ones need. */
export interface SlowCalls {
  /** Runs this when it is the account's turn. Throws 429 at once when too many of its calls wait already. */
  run<T>(accountId: string, work: () => Promise<T>): Promise<T>
}

interface Waiting {
  accountId: string
  start: () => void
}

/** `perAccount` of one account may be here, waiting or under way; `runningMax` of all are under way. */
export function createSlowCalls({ perAccount, runningMax }: { perAccount: number; runningMax: number }): SlowCalls {
  const running: string[] = []
  const waiting: Waiting[] = []
  const countOf = (list: readonly string[], accountId: string) => list.filter((other) => other === accountId).length

  function startNext(): void {
    if (running.length >= runningMax) return
    const next = waiting.findIndex(({ accountId }) => countOf(running, accountId) < RUNNING_PER_ACCOUNT)
    const [call] = next === -1 ? [] : waiting.splice(next, 1)
    if (call === undefined) return
    running.push(call.accountId)
    call.start()
  }

  return {
    async run(accountId, work) {
      const accounts = [...running, ...waiting.map((call) => call.accountId)]
      if (countOf(accounts, accountId) >= perAccount) {
        throw new AppError('rate_limited', 'Too many slow requests at once', { retryAfterSeconds: 1 })
      }
      await new Promise<void>((start) => {
        waiting.push({ accountId, start })
        startNext()
      })
      try {
        return await work()
      } finally {
        running.splice(running.indexOf(accountId), 1)
        startNext()
      }
    },
  }
}

import { AppError } from '@tideport/service-kit/process/app-error'

/** Concurrent slow calls of one account. Further calls wait without a database connection. */
const RUNNING_PER_ACCOUNT = 2

/** Bounds slow calls, so that fast calls always get database connections. */
export interface SlowCalls {
  /**
   * Runs `work` when a slot for the account is free. Throws 429 immediately when too many calls of the account are
   * waiting.
   */
  run<T>(accountId: string, work: () => Promise<T>): Promise<T>
}

interface Waiting {
  accountId: string
  start: () => void
}

/** `perAccount` limits running and waiting calls of one account. `runningMax` limits running calls of all accounts. */
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
        throw new AppError('rate_limited', 'The account has too many slow requests in progress. Try again later.', {
          retryAfterSeconds: 1,
        })
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

import { AppError } from '@tideport/service-kit/process/app-error'
import { every } from '@tideport/service-kit/process/every'
import { createSlots } from '@tideport/service-kit/process/slots'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import type { WebhooksDb } from '../tables.ts'
import { type FeedPosition, readersWithNews } from './read-feed.ts'

const LOOK_EVERY_MS = 500
/** Limit of one process: one statement checks all readers. */
const READERS_MAX = 1000
/** Limit of one account in one process. */
const READERS_OF_ACCOUNT_MAX = 10
const RETRY_AFTER_SECONDS = 5

export interface Reader {
  accountId: string
  webhookId: string
  after: FeedPosition
}

export interface WaitingReaders extends AsyncDisposable {
  /**
   * Resolves on a new delivery, after `ms`, or when `signal` aborts. Throws `rate_limited` per account, `unavailable`
   * per process.
   */
  wait(reader: Reader, ms: number, signal: AbortSignal): Promise<void>
  wake(): void
}

/** Readers that wait for new deliveries. Waiting occupies no database connection. */
export function openWaitingReaders(
  db: Kysely<WebhooksDb>,
  { signal, log }: { signal: AbortSignal; log: Log },
): WaitingReaders {
  const waiting = new Map<Reader, () => void>()
  const places = createSlots(READERS_MAX, 'Too many clients are waiting for deliveries')
  const ofAccounts = new Map<string, number>()
  const task = every(LOOK_EVERY_MS, 'find deliveries for waiting clients', look, { signal, log })

  async function look(): Promise<void> {
    const readers = [...waiting.keys()]
    if (readers.length === 0) return
    for (const place of await readersWithNews(db, readers)) waiting.get(readers[place] as Reader)?.()
  }

  function takePlace(accountId: string): () => void {
    const taken = ofAccounts.get(accountId) ?? 0
    if (taken >= READERS_OF_ACCOUNT_MAX) {
      const sentence = `At most ${READERS_OF_ACCOUNT_MAX} requests of an account can wait for deliveries at once`
      throw new AppError('rate_limited', sentence, { retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
    const leave = places.take()
    ofAccounts.set(accountId, taken + 1)
    return () => {
      leave()
      const left = (ofAccounts.get(accountId) ?? 1) - 1
      if (left === 0) ofAccounts.delete(accountId)
      else ofAccounts.set(accountId, left)
    }
  }

  return {
    async wait(reader, ms, gone) {
      const leave = takePlace(reader.accountId)
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, ms)
      const either = AbortSignal.any([signal, gone])
      either.addEventListener('abort', () => resolve(), { once: true })
      if (either.aborted) resolve()
      waiting.set(reader, resolve)
      try {
        await promise
      } finally {
        waiting.delete(reader)
        clearTimeout(timer)
        leave()
      }
    },
    wake: () => {
      if (waiting.size > 0) task.wake()
    },
    [Symbol.asyncDispose]: () => task[Symbol.asyncDispose](),
  }
}

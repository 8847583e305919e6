import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../telemetry/logger.ts'

const TELL_EVERY_MS = 10_000
const ANSWER_MS = 5_000

interface BlockerOptions {
  url: string
  pid: number
  log?: Log | undefined
}

/** Logs which sessions block a connection. Uses a second connection, because the blocked one cannot run a query. */
export function observeBlockers({ url, pid, log }: BlockerOptions) {
  const limits = { connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS }
  const pool = new pg.Pool({ connectionString: url, max: 1, application_name: 'migration observer', ...limits })
  pool.on('error', () => {})
  return {
    /** While `work` runs, logs after `afterMs` and then every 10 s. */
    async during<T>(step: string, afterMs: number, work: () => Promise<T>): Promise<T> {
      const over = new AbortController()
      const watching = log && tell(step, afterMs, over.signal, log)
      try {
        return await work()
      } finally {
        over.abort()
        await watching
      }
    },
    [Symbol.asyncDispose]: () => pool.end(),
  }

  async function tell(step: string, afterMs: number, signal: AbortSignal, log: Log): Promise<void> {
    for (let pauseMs = afterMs; await passes(pauseMs, signal); pauseMs = TELL_EVERY_MS) {
      const blockedBy = await blockersOf(pool, pid).catch(() => [])
      if (blockedBy.length > 0) log.warn({ step, blockedBy }, 'a migration is waiting for other sessions')
    }
  }
}

export type BlockerObserver = ReturnType<typeof observeBlockers>

async function blockersOf(pool: pg.Pool, pid: number) {
  const { rows } = await pool.query(
    `select pid, application_name as application, state, extract(epoch from now() - xact_start)::int as transaction_seconds
     from pg_stat_activity where pid = any (pg_blocking_pids($1))`,
    [pid],
  )
  return rows
}

const passes = (milliseconds: number, signal: AbortSignal) => delay(milliseconds, true, { signal }).catch(() => false)

import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../telemetry/logger.ts'
import { lostALock } from './database-errors.ts'
import type { BlockerObserver } from './lock-blockers.ts'
import { createdIndex, type Migration, type StepKind } from './migration-file.ts'

/** While a step waits for a lock, later sessions queue behind it. Requests may wait longer than this limit. */
const LOCK_TIMEOUT_MS = 500
/** Limits how long a statement holds locks that other sessions wait for. */
const STATEMENT_TIMEOUT_MS = 5_000
const UNHURRIED_LOOK_MS = 2_000

export interface StepContext extends LockRetry {
  client: pg.Client
  observer: BlockerObserver
}

type RunStep = (context: StepContext, migration: Migration) => Promise<void>

/** Each function records its migration as done. It may be killed at any time and started again. */
export const runStep: Record<StepKind, RunStep> = {
  short: async (context, migration) => {
    await withLocks(context, migration, async () => {
      await context.client.query(migration.sql)
      await recordDone(context.client, migration)
    })
  },

  online: async ({ client, observer }, migration) => {
    const index = createdIndex(migration)
    await observer.during(migration.name, UNHURRIED_LOOK_MS, async () => {
      if (index !== undefined && (await isInvalid(client, index)))
        await client.query(`drop index concurrently ${index}`)
      await client.query(migration.sql)
    })
    await recordDone(client, migration)
  },

  batches: async (context, migration) => {
    while (!(await runBatch(context, migration))) {
      // `runBatch` pauses after each batch, so sessions that waited for its rows run first.
    }
  },
}

/** Runs one batch and records its progress in one transaction. Returns true when no rows are left. */
async function runBatch(context: StepContext, migration: Migration): Promise<boolean> {
  const { client } = context
  const startedAt = performance.now()
  const isOver = await withLocks(context, migration, async () => {
    const { rows } = await client.query('select last from schema_migration_batch where name = $1', [migration.name])
    const takesLast = migration.sql.includes('$1')
    const batch = await client.query(migration.sql, takesLast ? [rows[0]?.last ?? null] : [])
    const last = batch.rows.at(-1)
    if (last === undefined) await recordDone(client, migration)
    else if (takesLast) await recordLast(client, migration, last.last)
    return last === undefined
  })
  // Pauses as long as the batch took, so that other sessions get half of the server's capacity.
  if (!isOver) await delay(performance.now() - startedAt)
  return isOver
}

/** Runs `work` in a transaction with time limits for waiting and for blocking. Retries until it gets its locks. */
async function withLocks<T>(context: StepContext, { name }: Migration, work: () => Promise<T>): Promise<T> {
  const { client, observer } = context
  const attempt = async () => {
    await client.query(
      `begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}; set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
    )
    try {
      const result = await work()
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch(() => {})
      throw error
    }
  }
  return await retryLock(name, context, () => observer.during(name, LOCK_TIMEOUT_MS / 2, attempt))
}

/** A killed job can leave an invalid index. */
async function isInvalid(client: pg.Client, index: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [index],
  )
  return rowCount === 1
}

async function recordLast(client: pg.Client, { name }: Migration, last: unknown): Promise<void> {
  await client.query(
    `insert into schema_migration_batch (name, last) values ($1, $2)
     on conflict (name) do update set last = excluded.last`,
    [name, last],
  )
}

async function recordDone(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query(
    `with batch as (delete from schema_migration_batch where name = $1)
     insert into schema_migration (name, checksum, timestamp) values ($1, $2, now()::text)`,
    [name, checksum],
  )
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000

interface LockRetry {
  /** How long an attempt that got no lock is retried. */
  waitMs: number
  log?: Log | undefined
}

/**
 * Retries work that did not get its locks. Growing pauses let the sessions behind it proceed. After `waitMs`, throws an
 * error whose cause is the last failure.
 */
async function retryLock<T>(step: string, { waitMs, log }: LockRetry, work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + waitMs
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!lostALock(error)) throw error
      const leftMs = giveUpAt - performance.now()
      if (leftMs <= 0) throw new Error(`${step}: no lock within ${waitMs / 1000} s`, { cause: error })
      log?.info({ step, pauseMs }, 'a migration got no lock, retrying')
      await delay(Math.min(pauseMs * (0.5 + Math.random() / 2), leftMs))
    }
  }
}

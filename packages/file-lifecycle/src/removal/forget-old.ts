import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { forgetEvents } from './purge-file.ts'

const BATCH = 1000
/** Further back than usage is told, so that the first day that is told has one before it. */
const USAGE_DAYS = 400

interface Deps {
  db: Kysely<FilesDb>
  /** How long jobs of accounts stay when they are over. */
  accountJobRetentionSeconds: number
  /** How long the log of what operators did is kept. */
  auditRetentionSeconds: number
}

/**
 * Removes a batch of idempotency keys after their 24 hours, of what keys moved on days before yesterday, of jobs and runs that have
 * been over for long, of usage by day, of links a week after their end, of what operators did long ago, and of events that had to outlive their file. Whether there may be
 * more.
 */
export async function forgetOld({ db, accountJobRetentionSeconds, auditRetentionSeconds }: Deps): Promise<boolean> {
  const today = sql`(now() at time zone 'utc')::date`
  const ago = (seconds: number) => sql`now() - make_interval(secs => ${seconds})`
  const isOver = sql`finished_at <= ${ago(accountJobRetentionSeconds)}`
  const removed = [
    await forget(db, 'idempotency_key', sql`created_at <= now() - interval '24 hours'`),
    await forget(db, 'key_spending', sql`day < ${today} - 1`),
    await forget(db, 'account_job', isOver),
    await forget(db, 'link', sql`least(revoked_at, expires_at) <= now() - interval '7 days'`),
    await forget(db, 'operator_event', sql`at <= ${ago(auditRetentionSeconds)}`),
    await forget(db, 'operator_run', isOver),
    await forget(db, 'usage_day', sql`day < ${today} - ${USAGE_DAYS}::integer`),
    await forget(db, 'vault_usage_day', sql`day < ${today} - ${USAGE_DAYS}::integer`),
    await forgetEvents(db, BATCH),
  ]
  return removed.includes(BATCH)
}

type Kept =
  | 'idempotency_key'
  | 'key_spending'
  | 'account_job'
  | 'link'
  | 'operator_event'
  | 'operator_run'
  | 'usage_day'
  | 'vault_usage_day'

/** By where they lie: found again by their keys, a few may cost a look at each row that there is. How many it was. */
async function forget(db: Kysely<FilesDb>, table: Kept, isOld: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql`
    delete from ${sql.table(table)} where ctid = any (array(
      select ctid from ${sql.table(table)} where ${isOld} limit ${BATCH} for update skip locked))
    returning 1`.execute(db)
  return rows.length
}

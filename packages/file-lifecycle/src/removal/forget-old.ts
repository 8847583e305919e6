import { FORGET_BATCH, forgetRows } from '@tideport/service-kit/postgres/forget-rows'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { utcToday } from '../state/usage-days.ts'
import { forgetEvents } from './purge-file.ts'

/** Further back than usage is told, so that the first day that is told has one before it. */
const USAGE_DAYS = 400

interface Deps {
  db: Kysely<FilesDb>
  /** How long jobs of accounts stay when they are over. */
  accountJobRetentionSeconds: number
  /** How long the log of what operators did is kept. */
  auditRetentionSeconds: number
  today?: RawBuilder<unknown>
}

/**
 * Removes a batch of idempotency keys after their 24 hours, of what keys moved on days before yesterday, of jobs and runs that have
 * been over for long, of usage by day, of links a week after their end, of what operators did long ago, and of events that had to outlive their file. Whether there may be
 * more.
 */
export async function forgetOld(deps: Deps): Promise<boolean> {
  const { db, accountJobRetentionSeconds, auditRetentionSeconds, today = utcToday } = deps
  const ago = (seconds: number) => sql`now() - make_interval(secs => ${seconds})`
  const isOver = sql`finished_at <= ${ago(accountJobRetentionSeconds)}`
  const removed = [
    await forgetRows(db, 'idempotency_key', sql`created_at <= now() - interval '24 hours'`),
    await forgetRows(db, 'key_spending', sql`day < ${today} - 1`),
    await forgetRows(db, 'account_job', isOver),
    await forgetRows(db, 'link', sql`least(revoked_at, expires_at) <= now() - interval '7 days'`),
    await forgetRows(db, 'operator_event', sql`at <= ${ago(auditRetentionSeconds)}`),
    await forgetRows(db, 'operator_run', isOver),
    await forgetRows(db, 'usage_day', sql`day < ${today} - ${USAGE_DAYS}::integer`),
    await forgetRows(db, 'vault_usage_day', sql`day < ${today} - ${USAGE_DAYS}::integer`),
    await forgetEvents(db),
  ]
  return removed.includes(FORGET_BATCH)
}

import { FORGET_BATCH, forgetRows } from '@tideport/service-kit/postgres/forget-rows'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { utcToday } from '../state/usage-days.ts'
import { forgetEvents } from './purge-file.ts'

/** More than the API shows, because the first day shown needs the day before it. */
const USAGE_DAYS = 400

interface Deps {
  db: Kysely<FilesDb>
  accountJobRetentionSeconds: number
  auditRetentionSeconds: number
  today?: RawBuilder<unknown>
}

/** Deletes a batch of old rows of each table below. Returns whether more may remain. */
export async function deleteExpiredRows(deps: Deps): Promise<boolean> {
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

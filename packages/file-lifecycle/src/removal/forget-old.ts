import { type Kysely, sql } from 'kysely'
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
  const keys = await sql`
    delete from idempotency_key where (account_id, key) in (
      select account_id, key from idempotency_key where created_at <= now() - interval '24 hours'
      limit ${BATCH} for update skip locked)
    returning key`.execute(db)
  const days = await sql`
    delete from key_spending where budget_id in (
      select budget_id from key_spending where day < (now() at time zone 'utc')::date - 1
      limit ${BATCH} for update skip locked)
    returning budget_id`.execute(db)
  const jobs = await sql`
    delete from account_job where id in (
      select id from account_job where finished_at <= now() - make_interval(secs => ${accountJobRetentionSeconds})
      limit ${BATCH} for update skip locked)
    returning id`.execute(db)
  const links = await sql`
    delete from link where id in (
      select id from link where least(revoked_at, expires_at) <= now() - interval '7 days'
      limit ${BATCH} for update skip locked)
    returning id`.execute(db)
  const operations = await sql`
    delete from operator_event where id in (
      select id from operator_event where at <= now() - make_interval(secs => ${auditRetentionSeconds})
      limit ${BATCH} for update skip locked)
    returning id`.execute(db)
  const runs = await sql`
    delete from operator_run where id in (
      select id from operator_run where finished_at <= now() - make_interval(secs => ${accountJobRetentionSeconds})
      limit ${BATCH} for update skip locked)
    returning id`.execute(db)
  const usage = await forgetUsage(db, 'usage_day')
  const vaultUsage = await forgetUsage(db, 'vault_usage_day')
  const events = await forgetEvents(db, BATCH)
  const removed = [keys, days, jobs, links, operations, runs, usage, vaultUsage].map(({ rows }) => rows.length)
  return [...removed, events].includes(BATCH)
}

const forgetUsage = (db: Kysely<FilesDb>, table: 'usage_day' | 'vault_usage_day') =>
  sql`
    delete from ${sql.table(table)} where ctid = any (array(
      select ctid from ${sql.table(table)} where day < (now() at time zone 'utc')::date - ${USAGE_DAYS}::integer
      limit ${BATCH} for update skip locked))
    returning day`.execute(db)

import { cachedFor } from '@tideport/service-kit/process/cached-for'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDb } from '../tables.ts'

const CACHED_MS = 5000

/** Shows how many entries auth has not kept. What cannot be counted now has no value, rather than an old one. */
export function observeAuditEntries(metrics: Metrics, db: Kysely<WebhooksDb>): void {
  const find = cachedFor(CACHED_MS, () => countEntries(db).catch((): Record<string, number> => ({})))
  const help =
    'Entries of the audit log that wait for auth to keep them, or that it refused because it cannot read them'
  metrics.showEach('tideport_audit_entries', 'state', help, find)
}

async function countEntries(db: Kysely<WebhooksDb>): Promise<Record<string, number>> {
  const { rows } = await sql<{ waiting: number; refused: number }>`
    select count(*) filter (where failed_at is null) as waiting, count(failed_at) as refused from audit_outbox`.execute(
    db,
  )
  return { ...rows[0] }
}

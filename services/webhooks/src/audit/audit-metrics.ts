import { cachedFor } from '@tideport/service-kit/process/cached-for'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDb } from '../tables.ts'

const CACHED_MS = 5000

interface Counts {
  waiting: number
  refused: number
}

/** Shows how many entries auth has not kept. What cannot be counted now has no value, rather than an old one. */
export function observeAuditEntries(metrics: Metrics, db: Kysely<WebhooksDb>): void {
  const find = cachedFor(CACHED_MS, () => countEntries(db).catch(() => ({})))
  metrics.gauge({
    name: 'tideport_audit_entries',
    help: 'Entries of the audit log that wait for auth to keep them, or that it refused because it cannot read them',
    labelNames: ['state'],
    async collect() {
      const counts = await find()
      this.reset()
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count)
    },
  })
}

async function countEntries(db: Kysely<WebhooksDb>): Promise<Partial<Counts>> {
  const { rows } = await sql<Counts>`
    select count(*) filter (where failed_at is null) as waiting, count(failed_at) as refused from audit_outbox`.execute(
    db,
  )
  return { ...rows[0] }
}

import { type AuditReply, auditRecord, auditReply } from '@tideport/contracts/internal/audit-record'
import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { cachedFor } from '@tideport/service-kit/process/cached-for'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { type Poll, poll } from '@tideport/service-kit/process/poll'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDb } from '../tables.ts'

const PAUSES = { minMs: 1000, maxMs: 5000 }
const BATCH = 50
const ANSWER_MS = 5000
/** Longer than the replies to a batch can take. They are awaited together. */
const CLAIM_SECONDS = 15

interface RelayAuditDeps {
  db: Kysely<WebhooksDb>
  nats: Pick<NatsLink, 'connection'>
  log: Log
}

interface Waiting {
  id: string
  at: Date
  record: object
}

export function startAuditRelay({ signal, ...deps }: RelayAuditDeps & { signal: AbortSignal }): Poll {
  const relay = (stopping: AbortSignal) => relayAuditEntries(deps, stopping)
  return poll(PAUSES, 'relay audit entries', relay, { signal, log: deps.log })
}

/**
 * Sends entries, oldest first, until none is left or auth is unavailable. Auth stores each ID once. Sets unreadable
 * entries aside.
 */
export async function relayAuditEntries(deps: RelayAuditDeps, signal: AbortSignal): Promise<boolean> {
  const { db, nats, log } = deps
  let hasFound = false
  while (!signal.aborted && nats.connection()) {
    const batch = await claimBatch(db)
    if (batch.length === 0) return hasFound
    hasFound = true
    await failpoint('audit.claimed')
    const replies = await Promise.all(batch.map((row) => tell(nats, row)))
    await failpoint('audit.between')
    const answered = (reply: AuditReply) => batch.filter((_, index) => replies[index] === reply).map(({ id }) => id)
    await settle(db, { kept: answered('kept'), refused: answered('refused'), later: answered('later') })
    for (const eventId of answered('refused'))
      log.error({ eventId }, 'auth refused an audit log entry that it cannot read')
    if (batch.length < BATCH || answered('later').length > 0) break
  }
  return hasFound
}

async function tell(nats: RelayAuditDeps['nats'], { at, record }: Waiting): Promise<AuditReply> {
  try {
    const body = JSON.stringify({ ...record, at: at.toISOString() })
    const answer = await nats.connection()?.request(auditRecord.subject, body, { timeout: ANSWER_MS })
    return auditReply.parse(answer?.string())
  } catch {
    // No auth process replied in time.
    return 'later'
  }
}

async function claimBatch(db: Kysely<WebhooksDb>): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    with batch as (
      select id from audit_outbox where failed_at is null and (claimed_until is null or claimed_until <= now())
      order by at, id limit ${BATCH} for update skip locked
    )
    update audit_outbox set claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
    from batch where audit_outbox.id = batch.id
    returning audit_outbox.id, at, record`.execute(db)
  return rows
}

async function settle(db: Kysely<WebhooksDb>, ids: Record<AuditReply, string[]>): Promise<void> {
  const { kept, refused, later } = ids
  await sql`
    with gone as (delete from audit_outbox where id = any(${kept}::uuid[])),
      aside as (update audit_outbox set failed_at = now() where id = any(${refused}::uuid[]))
    update audit_outbox set claimed_until = null where id = any(${later}::uuid[])`.execute(db)
}

const CACHED_MS = 5000

/**
 * Shows how many entries auth has not stored. If they cannot be counted, the metric has no value instead of an old one.
 */
export function observeAuditEntries(metrics: Metrics, db: Kysely<WebhooksDb>): void {
  const find = cachedFor(CACHED_MS, () => countEntries(db).catch((): Record<string, number> => ({})))
  const help = 'Audit log entries by state: waiting for auth to store them, or refused because auth cannot read them'
  metrics.showEach('tideport_audit_entries', 'state', help, find)
}

async function countEntries(db: Kysely<WebhooksDb>): Promise<Record<string, number>> {
  const { rows } = await sql<{ waiting: number; refused: number }>`
    select count(*) filter (where failed_at is null) as waiting, count(failed_at) as refused from audit_outbox`.execute(
    db,
  )
  return { ...rows[0] }
}

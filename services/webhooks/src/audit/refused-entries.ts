import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { WebhooksDb } from '../tables.ts'

interface RefusedEntry {
  id: string
  kind: string
  accountId: string
  subjectId: string
  at: Date
  refusedAt: Date
}

const columns = sql`id, record->>'kind' as kind, record->>'accountId' as account_id, record->>'subjectId' as subject_id, at,
  failed_at as refused_at`

export async function listRefused(db: Kysely<WebhooksDb>, limit: number): Promise<RefusedEntry[]> {
  const { rows } = await sql<RefusedEntry>`
    select ${columns} from audit_outbox where ${isRefused()} order by audit_outbox.at, id limit ${limit}`.execute(db)
  return rows
}

/** Queues refused entries for auth again: one, or all without an ID. Returns them. */
export async function resendRefused(db: Kysely<WebhooksDb>, id?: string): Promise<RefusedEntry[]> {
  const { rows } = await sql<RefusedEntry>`
    with refused as (select ${columns} from audit_outbox where ${isRefused(id)} for update)
    update audit_outbox set failed_at = null, claimed_until = null from refused where audit_outbox.id = refused.id
    returning refused.*`.execute(db)
  return rows
}

export async function forgetRefused(db: Kysely<WebhooksDb>, id?: string): Promise<RefusedEntry[]> {
  const { rows } = await sql<RefusedEntry>`
    delete from audit_outbox where ${isRefused(id)} returning ${columns}`.execute(db)
  return rows
}

function isRefused(id?: string): RawBuilder<boolean> {
  return id === undefined ? sql`failed_at is not null` : sql`failed_at is not null and id = ${id}::uuid`
}

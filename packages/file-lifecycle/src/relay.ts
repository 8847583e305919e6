import { headers } from '@nats-io/transport-node'
import { subjectOf } from '@tideport/contracts/message'
import { eventMessages, type FileEvent } from '@tideport/contracts/messages'
import type { EventType, WebhookPayload } from '@tideport/contracts/webhook-payload'
import { failpoint } from '@tideport/service-kit/failpoint'
import type { NatsLink } from '@tideport/service-kit/nats'
import { traceHeaders } from '@tideport/service-kit/trace-context'
import { type Kysely, sql } from 'kysely'
import { noteAcknowledged } from './stream-mark.ts'
import type { FilesDb } from './tables.ts'

const BATCH = 200
const CLAIM_SECONDS = 15

interface UnpublishedEvent {
  id: string
  fileId: string
  accountId: string
  type: EventType
  payload: WebhookPayload
  requestId: string
  traceparent: string
  resends: number
}

/**
 * Publishes what was not published yet, oldest first: claim a batch in one committed statement, publish, mark. Any relay
 * takes any row. A crash in between publishes again under the same Msg-Id, which is harmless: at least once.
 * Answers how many events were published.
 */
export async function relayEvents(
  { db, nats }: { db: Kysely<FilesDb>; nats: NatsLink },
  signal: AbortSignal,
): Promise<number> {
  let published = 0
  while (!signal.aborted && nats.connection()) {
    const batch = await claimBatch(db)
    if (batch.length === 0) break
    const results = await Promise.allSettled(batch.map((event) => publish(nats, event)))
    await failpoint('relay.between')
    const done = batch.filter((_, index) => results[index]?.status === 'fulfilled')
    await sql`update file_event set published_at = now(), claimed_until = null
      where id = any(${done.map(({ id }) => id)}::uuid[])`.execute(db)
    published += done.length
    const sequences = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    if (sequences.length > 0) await noteAcknowledged({ db, nats }, sequences)
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) {
      await release(
        db,
        batch.filter((event) => !done.includes(event)),
      )
      throw failed.reason
    }
  }
  return published
}

async function claimBatch(db: Kysely<FilesDb>): Promise<UnpublishedEvent[]> {
  const { rows } = await sql<UnpublishedEvent>`
    with batch as (
      select id from file_event
      where published_at is null and type like 'file.%' and (claimed_until is null or claimed_until <= now())
      order by at, id limit ${BATCH} for update skip locked
    ), claimed as (
      update file_event set claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
      where id in (select id from batch)
      returning id, file_id, account_id, type, payload, request_id, traceparent, resends, at
    )
    select * from claimed order by at, id`.execute(db)
  return rows
}

async function publish(nats: NatsLink, event: UnpublishedEvent): Promise<number> {
  const eventHeaders = headers()
  for (const [name, value] of Object.entries(traceHeaders(event))) eventHeaders.set(name, value)
  const body: FileEvent = { eventId: event.id, accountId: event.accountId, payload: event.payload }
  const msgID = event.resends === 0 ? event.id : `${event.id}.${event.resends}`
  const subject = subjectOf(eventMessages[event.type], event.fileId)
  const { seq } = await nats.jetstream().publish(subject, JSON.stringify(body), { msgID, headers: eventHeaders })
  return seq
}

async function release(db: Kysely<FilesDb>, events: UnpublishedEvent[]): Promise<void> {
  await sql`update file_event set claimed_until = null
    where id = any(${events.map(({ id }) => id)}::uuid[]) and published_at is null`.execute(db)
}

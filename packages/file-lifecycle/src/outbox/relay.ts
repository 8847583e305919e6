import { subjectOf } from '@tideport/contracts/internal/message'
import { eventMessages } from '@tideport/contracts/internal/messages'
import type { EventType } from '@tideport/contracts/public/webhook-payload'
import { inTrace } from '@tideport/service-kit/context/request-context'
import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { messageHeaders, sendSpan } from '@tideport/service-kit/telemetry/messaging-span'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import { type Kysely, sql } from 'kysely'
import { unawaited } from '../state/queries.ts'
import type { FilesDb } from '../state/tables.ts'
import type { Acknowledged, StreamPosition } from './stream-position.ts'

const BATCH = 200
const CLAIM_SECONDS = 15

export interface RelayEventsDeps {
  db: Kysely<FilesDb>
  nats: NatsLink
  position: StreamPosition
  onPublished: (events: number) => void
  /** Called with events that break their contract, after these are marked as failed. */
  onRefused: (events: RefusedEvent[]) => void
  /** Called when the stream returns sequence numbers that it must have used before. */
  onWentBack: () => void
}

export type RefusedEvent = Pick<OutgoingEvent, 'id' | 'type'> & { fault: string }

/**
 * Publishes unpublished events, oldest first: claims a batch, publishes it, and marks it together with the highest
 * sequence. A crash publishes again with the same Msg-Id. An event that breaks its contract is marked as failed.
 * Returns how many events were published.
 */
export async function relayEvents(deps: RelayEventsDeps, signal: AbortSignal): Promise<number> {
  const { db, nats } = deps
  let published = 0
  while (!signal.aborted && nats.connection()) {
    const batch = await claimBatch(db)
    await failpoint('relay.claimed')
    const sound = await refuseBroken(deps, batch)
    if (sound.length > 0) published += await publishBatch(deps, sound)
    if (batch.length < BATCH) break
  }
  return published
}

/** Returns the valid events. */
async function refuseBroken({ db, onRefused }: RelayEventsDeps, batch: OutgoingEvent[]): Promise<OutgoingEvent[]> {
  const refused: RefusedEvent[] = []
  for (const event of batch) {
    const fault = faultOf(event)
    if (fault !== null) refused.push({ id: event.id, type: event.type, fault })
  }
  if (refused.length === 0) return batch
  await sql`
    update event set failed_at = now(), failure = refused.fault, claimed_until = null
    from unnest(${refused.map(({ id }) => id)}::uuid[], ${refused.map(({ fault }) => fault)}::text[]) as refused (id, fault)
    where event.id = refused.id and published_at is null`.execute(db)
  onRefused(refused)
  return batch.filter(({ id }) => !refused.some((one) => one.id === id))
}

async function publishBatch({ db, nats, position, onPublished, onWentBack }: RelayEventsDeps, batch: OutgoingEvent[]) {
  const before = position.before()
  const results = await Promise.allSettled(batch.map((event) => publishEvent(nats, event, event.id)))
  await failpoint('relay.between')
  const answers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  if (!position.note(answers, before)) onWentBack()
  const done = batch.filter((_, index) => results[index]?.status === 'fulfilled').map(({ id }) => id)
  onPublished(done.length)
  if (done.length > 0) await markPublished(db, done, position)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) {
    const undone = batch.map(({ id }) => id).filter((id) => !done.includes(id))
    await release(db, undone)
    throw failed.reason
  }
  return done.length
}

async function claimBatch(db: Kysely<FilesDb>): Promise<OutgoingEvent[]> {
  const { rows } = await sql<OutgoingEvent>`
    with batch as (
      select id from event
      where published_at is null and ${isOutgoing} and (claimed_until is null or claimed_until <= now())
      order by at, id limit ${BATCH} for update skip locked
    ), claimed as (
      update event set claimed_until = now() + make_interval(secs => ${CLAIM_SECONDS})
      from ${unawaited(sql`true`)}
      where id in (select id from batch)
      returning ${outgoingColumns}, at
    )
    select * from claimed order by at, id`.execute(db)
  return rows
}

async function markPublished(db: Kysely<FilesDb>, ids: string[], position: StreamPosition): Promise<void> {
  await sql`
    with acknowledged as (${position.save()})
    update event set published_at = now(), claimed_until = null from ${unawaited(sql`true`)}
    where id = any(${ids}::uuid[])`.execute(db)
}

async function release(db: Kysely<FilesDb>, ids: string[]): Promise<void> {
  await sql`update event set claimed_until = null
    where id = any(${ids}::uuid[]) and published_at is null`.execute(db)
}

export interface OutgoingEvent {
  id: string
  subjectId: string
  accountId: string
  type: EventType
  payload: object
  requestId: string
  traceparent: string
}

export const outgoingColumns = sql`id, subject_id, account_id, type, payload, request_id, traceparent`

/** Excludes history. Types of a later release wait for its processes. */
export const isOutgoing = sql`is_public and failed_at is null and type = any(${Object.keys(eventMessages)}::text[])`

/** What breaks the contract of an event, without its values; null: nothing. */
function faultOf(event: OutgoingEvent): string | null {
  const { success, data, error } = eventMessages[event.type].schema.safeParse(bodyOf(event))
  if (!success) return error.issues.map(({ path, code }) => `${path.join('.')}: ${code}`).join(', ')
  return data.payload.event === event.type ? null : 'payload.event: differs from the event type'
}

/** Continues the trace of the event. Throws unless the stream acknowledges it. */
export async function publishEvent(nats: NatsLink, event: OutgoingEvent, msgId: string): Promise<Acknowledged> {
  const message = eventMessages[event.type]
  const subject = subjectOf(message, event.subjectId)
  const { requestId, traceparent } = event
  const send = async () => {
    const publish = { msgID: msgId, headers: messageHeaders() }
    const { seq, duplicate } = await nats.jetstream().publish(subject, JSON.stringify(bodyOf(event)), publish)
    return { sequence: seq, msgId, isNew: !duplicate }
  }
  return await inTrace({ requestId, traceparent }, () => inSpan(sendSpan(message.subject, msgId), send))
}

function bodyOf({ id, accountId, payload }: OutgoingEvent) {
  return { eventId: id, accountId, payload }
}

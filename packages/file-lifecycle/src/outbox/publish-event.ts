import { subjectOf } from '@tideport/contracts/internal/message'
import { eventMessages } from '@tideport/contracts/internal/messages'
import type { EventType } from '@tideport/contracts/public/webhook-payload'
import { inTrace } from '@tideport/service-kit/context/request-context'
import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { messageHeaders, sendSpan } from '@tideport/service-kit/telemetry/messaging-span'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import { sql } from 'kysely'
import type { Acknowledged } from './stream-position.ts'

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
export function faultOf(event: OutgoingEvent): string | null {
  const { success, data, error } = eventMessages[event.type].schema.safeParse(bodyOf(event))
  if (!success) return error.issues.map(({ path, code }) => `${path.join('.')}: ${code}`).join(', ')
  return data.payload.event === event.type ? null : 'payload.event: another type'
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

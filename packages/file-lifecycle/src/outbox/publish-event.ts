import { subjectOf } from '@tideport/contracts/internal/message'
import { eventMessages, type FileEvent } from '@tideport/contracts/internal/messages'
import type { EventType, WebhookPayload } from '@tideport/contracts/public/webhook-payload'
import { inTrace } from '@tideport/service-kit/context/request-context'
import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { messageHeaders, sendSpan } from '@tideport/service-kit/telemetry/messaging-span'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import { sql } from 'kysely'
import type { Acknowledged } from './stream-position.ts'

/** What is published of a row of `file_event`. */
export interface OutgoingEvent {
  id: string
  fileId: string
  accountId: string
  type: EventType
  payload: WebhookPayload
  requestId: string
  traceparent: string
}

export const outgoingColumns = sql`id, file_id, account_id, type, payload, request_id, traceparent`

/** The others tell what happened to a file inside. Types of a later release wait for a process of it. */
export const isOutgoing = sql`type like 'file.%' and type = any(${Object.keys(eventMessages)}::text[])`

/** Goes on with the trace of what the event tells. Throws when the stream does not acknowledge it. */
export async function publishEvent(nats: NatsLink, event: OutgoingEvent, msgId: string): Promise<Acknowledged> {
  const body: FileEvent = { eventId: event.id, accountId: event.accountId, payload: event.payload }
  const message = eventMessages[event.type]
  const subject = subjectOf(message, event.fileId)
  const { requestId, traceparent } = event
  const send = async () => {
    const publish = { msgID: msgId, headers: messageHeaders() }
    const { seq, duplicate } = await nats.jetstream().publish(subject, JSON.stringify(body), publish)
    return { sequence: seq, msgId, isNew: !duplicate }
  }
  return await inTrace({ requestId, traceparent }, () => inSpan(sendSpan(message.subject, msgId), send))
}

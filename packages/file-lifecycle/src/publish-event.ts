import { headers } from '@nats-io/transport-node'
import { subjectOf } from '@tideport/contracts/message'
import { eventMessages, type FileEvent } from '@tideport/contracts/messages'
import type { EventType, WebhookPayload } from '@tideport/contracts/webhook-payload'
import type { NatsLink } from '@tideport/service-kit/nats'
import { traceHeaders } from '@tideport/service-kit/trace-context'
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

/** Throws when the stream does not acknowledge it. */
export async function publishEvent(nats: NatsLink, event: OutgoingEvent, msgId: string): Promise<Acknowledged> {
  const eventHeaders = headers()
  for (const [name, value] of Object.entries(traceHeaders(event))) eventHeaders.set(name, value)
  const body: FileEvent = { eventId: event.id, accountId: event.accountId, payload: event.payload }
  const subject = subjectOf(eventMessages[event.type], event.fileId)
  const publish = { msgID: msgId, headers: eventHeaders }
  const { seq, duplicate } = await nats.jetstream().publish(subject, JSON.stringify(body), publish)
  return { sequence: seq, msgId, isNew: !duplicate }
}

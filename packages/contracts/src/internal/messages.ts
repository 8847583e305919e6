import { z } from 'zod'
import { type EventType, webhookPayload } from '../public/webhook-payload.ts'
import { defineMessage } from './message.ts'

/** Work for one file. The row says whether it is (still) due; the message is only a hint. */
const job = z.object({ fileId: z.uuid() })

/** hot → synced (or rehydration): consumed by sync. */
export const syncJob = defineMessage('jobs.sync.v1', job)
/** synced → cold: consumed by eviction. */
export const evictJob = defineMessage('jobs.evict.v1', job)

/** News of one file. Carries all that a consumer needs, so nobody asks back. `eventId` never changes, also when re-sent. */
export const fileEvent = z.object({
  eventId: z.uuid(),
  accountId: z.uuid(),
  payload: webhookPayload,
})
export type FileEvent = z.infer<typeof fileEvent>

export const fileHot = defineMessage('events.file.hot.v1', fileEvent)
export const fileSynced = defineMessage('events.file.synced.v1', fileEvent)
export const fileCold = defineMessage('events.file.cold.v1', fileEvent)
export const fileError = defineMessage('events.file.error.v1', fileEvent)

/** The message that tells of each event type. */
export const eventMessages = {
  'file.hot': fileHot,
  'file.synced': fileSynced,
  'file.cold': fileCold,
  'file.error': fileError,
} as const satisfies Record<EventType, unknown>

/** Any file event, as the fan-out consumes them by one wildcard. */
export const anyFileEvent = defineMessage('events.file.*.v1', fileEvent)

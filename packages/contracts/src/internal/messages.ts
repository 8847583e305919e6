import { z } from 'zod'
import { uuid } from '../public/id.ts'
import { anyPayload, type EventType, payloads } from '../public/webhook-payload.ts'
import { defineMessage, type Message } from './message.ts'
import { networkName } from './network-name.ts'

/** Work for one file. The message is a hint; the row decides whether the work is still due. */
const job = z.object({ fileId: uuid })
const copyJob = z.object({ fileId: uuid, network: networkName })

/** Stores a copy on a network; the first copy makes a file `synced`. Consumed by sync, with a queue per network. */
export const storeJob = defineMessage('jobs.store.v1', copyJob)
/** Reads a copy back in full. Consumed by eviction, with a queue for each network. */
export const proveJob = defineMessage('jobs.prove.v1', copyJob)
/** Restores a cold file's bytes to the hot tier. Consumed by sync. */
export const rehydrateJob = defineMessage('jobs.rehydrate.v1', job)
/** synced → cold. Consumed by eviction. */
export const evictJob = defineMessage('jobs.evict.v1', job)

/** A message contains everything that a consumer needs. `eventId` stays the same when the message is resent. */
function eventOf<P extends z.ZodType>(payload: P) {
  return z.object({ eventId: uuid, accountId: uuid, payload })
}

export const eventMessages = {
  'file.hot': defineMessage('events.file.hot.v1', eventOf(payloads['file.hot'])),
  'file.synced': defineMessage('events.file.synced.v1', eventOf(payloads['file.synced'])),
  'file.cold': defineMessage('events.file.cold.v1', eventOf(payloads['file.cold'])),
  'file.error': defineMessage('events.file.error.v1', eventOf(payloads['file.error'])),
  'file.deleted': defineMessage('events.file.deleted.v1', eventOf(payloads['file.deleted'])),
  'file.restored': defineMessage('events.file.restored.v1', eventOf(payloads['file.restored'])),
  'file.purged': defineMessage('events.file.purged.v1', eventOf(payloads['file.purged'])),
  'file.copied': defineMessage('events.file.copied.v1', eventOf(payloads['file.copied'])),
  'file.copy_lost': defineMessage('events.file.copy_lost.v1', eventOf(payloads['file.copy_lost'])),
  'file.lease_expiring': defineMessage('events.file.lease_expiring.v1', eventOf(payloads['file.lease_expiring'])),
  'vault.created': defineMessage('events.vault.created.v1', eventOf(payloads['vault.created'])),
  'vault.deleted': defineMessage('events.vault.deleted.v1', eventOf(payloads['vault.deleted'])),
  'vault.restored': defineMessage('events.vault.restored.v1', eventOf(payloads['vault.restored'])),
} as const satisfies Record<EventType, Message>

export const anyEvent = defineMessage('events.*.*.v1', eventOf(anyPayload))
export type AnyEvent = z.infer<typeof anyEvent.schema>

import type { Webhook } from '@tideport/sdk'

export type EventType = Webhook['events'][number]

/** What a webhook can be told of (docs/api.md): all of it, or it does not compile. */
export const eventTypes = Object.keys({
  'file.hot': true,
  'file.synced': true,
  'file.cold': true,
  'file.error': true,
  'file.deleted': true,
  'file.restored': true,
  'file.purged': true,
  'file.copied': true,
  'file.copy_lost': true,
  'file.lease_expiring': true,
  'vault.created': true,
  'vault.deleted': true,
  'vault.restored': true,
} satisfies Record<EventType, true>) as EventType[]

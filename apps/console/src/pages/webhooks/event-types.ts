import type { Webhook } from '@tideport/sdk'

export type EventType = Webhook['events'][number]

/** What a webhook can be told of (docs/api.md). */
export const eventTypes = [
  'file.hot',
  'file.synced',
  'file.cold',
  'file.error',
  'file.deleted',
  'file.restored',
  'file.purged',
  'file.copied',
  'file.copy_lost',
  'file.lease_expiring',
  'vault.created',
  'vault.deleted',
  'vault.restored',
] as const satisfies readonly EventType[]

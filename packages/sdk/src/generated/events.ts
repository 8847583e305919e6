// Generated from packages/contracts by `npm run generate`. Do not edit.

import type {
  FileCopyPayload,
  FileRemovalPayload,
  LeasePayload,
  VaultPayload,
  WebhookPayload,
} from './shapes.ts'

/** The body of each event. */
export interface EventBodies {
  'file.hot': WebhookPayload & { event: 'file.hot' }
  'file.synced': WebhookPayload & { event: 'file.synced' }
  'file.cold': WebhookPayload & { event: 'file.cold' }
  'file.error': WebhookPayload & { event: 'file.error' }
  'file.deleted': FileRemovalPayload & { event: 'file.deleted' }
  'file.restored': FileRemovalPayload & { event: 'file.restored' }
  'file.purged': FileRemovalPayload & { event: 'file.purged' }
  'file.copied': FileCopyPayload & { event: 'file.copied' }
  'file.copy_lost': FileCopyPayload & { event: 'file.copy_lost' }
  'file.lease_expiring': LeasePayload & { event: 'file.lease_expiring' }
  'vault.created': VaultPayload & { event: 'vault.created' }
  'vault.deleted': VaultPayload & { event: 'vault.deleted' }
  'vault.restored': VaultPayload & { event: 'vault.restored' }
}

import { eventTypes } from '../webhooks/webhook.ts'

/** Those of docs/openapi.json, which a test compares. */
export const accountKinds = [
  'account.created',
  'owner.created',
  'passkey.added',
  'passkey.renamed',
  'passkey.deleted',
  'recovery_code.replaced',
  'key.created',
  'key.revoked',
  'key.rotated',
  'key.shortened',
  'webhook.created',
  'webhook.changed',
  'webhook.deleted',
  'webhook.disabled',
  'webhook.secret_rotated',
] as const

/** Webhook events, and kinds that only the audit log has. The service may add more. */
export const fileKinds = [
  ...eventTypes,
  'file.changed',
  'file.published',
  'link.created',
  'link.revoked',
  'vault.changed',
  'vault.purged',
  'account.export_started',
  'job.cancelled',
] as const

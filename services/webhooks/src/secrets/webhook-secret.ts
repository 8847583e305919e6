import { randomBytes } from 'node:crypto'

const SECRET_BYTES = 32

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Binds a webhook's secret to its row, so that a sealed secret copied to another row does not open. */
export function secretOwner({ accountId, webhookId }: { accountId: string; webhookId: string }): string {
  return `webhook-secret/${accountId}/${webhookId}`
}

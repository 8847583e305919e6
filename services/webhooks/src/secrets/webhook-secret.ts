import { randomBytes } from 'node:crypto'

const SECRET_BYTES = 32

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** Binds an encrypted secret to its row, so that a copy in another row cannot be decrypted. */
export function secretOwner({ accountId, webhookId }: { accountId: string; webhookId: string }): string {
  return `webhook-secret/${accountId}/${webhookId}`
}

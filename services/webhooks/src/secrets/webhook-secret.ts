import { randomBytes } from 'node:crypto'

const SECRET_BYTES = 32

/** A new signing secret in the form of Standard Webhooks. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

import { randomBytes } from 'node:crypto'

const SECRET_BYTES = 32

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

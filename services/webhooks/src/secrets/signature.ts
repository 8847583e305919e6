import { createHmac } from 'node:crypto'

const SECRET_PREFIX = 'whsec_'

interface SigningSecrets {
  current: string
  /** Previous secrets within their overlap, oldest first. */
  previous: readonly string[]
}

interface SignedContent {
  /** The event's ID: the same on every attempt, so that receivers can detect repeats. */
  messageId: string
  /** When this attempt is sent, in Unix seconds. */
  timestampSeconds: number
  /** The exact text that is sent. */
  body: string
}

/**
 * `x-service-signature` (spec §6) has one signature, keyed with the text of the oldest valid secret. Standard Webhooks
 * has one for each valid secret, keyed with the decoded base64.
 */
export function signatureHeaders(
  { current, previous }: SigningSecrets,
  content: SignedContent,
): Record<string, string> {
  const signatures = [current, ...previous].map((secret) => standardSignature(secret, content))
  return {
    'x-service-signature': serviceSignature(previous[0] ?? current, content.body),
    'webhook-id': content.messageId,
    'webhook-timestamp': String(content.timestampSeconds),
    'webhook-signature': signatures.join(' '),
  }
}

/** Lowercase hexadecimal HMAC-SHA-256 of the body. */
function serviceSignature(secret: string, body: string): string {
  return createHmac('sha256', secret).update(body).digest('hex')
}

function standardSignature(secret: string, { messageId, timestampSeconds, body }: SignedContent): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${messageId}.${timestampSeconds}.${body}`).digest('base64')
  return `v1,${signature}`
}

import type { EventBodies } from '../generated/events.ts'

/** A delivery; `event` determines its type. */
export type WebhookEvent = EventBodies[keyof EventBodies]

/** A forged, modified, or outdated delivery. Respond with 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

export interface VerifyOptions {
  /** Maximum clock difference between sender and receiver, including the delivery time. Default: 300. */
  toleranceSeconds?: number
}

/** Each signature is compared with the complete body, and an attacker can send as many as a header holds. */
const SIGNATURES_MAX = 8

type HeaderBag = Headers | Record<string, string | string[] | undefined>

/**
 * Verifies the signature and the age of a delivery, and parses it. `rawBody` must be the received bytes, not
 * re-serialized JSON. During a rotation, pass both secrets. Rejects with a `WebhookVerificationError`.
 */
export async function verify(
  rawBody: Uint8Array | string,
  headers: HeaderBag,
  secret: string | readonly string[],
  { toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<WebhookEvent> {
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new TypeError('Pass the unparsed bytes or text of the body')
  }
  const id = header(headers, 'webhook-id')
  const timestamp = header(headers, 'webhook-timestamp')
  const signatures = header(headers, 'webhook-signature')
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  // Also true if the tolerance is NaN, for example from an unset variable.
  if (!(/^\d{1,12}$/.test(timestamp) && age <= toleranceSeconds)) {
    throw new WebhookVerificationError('The delivery is too old, or the clocks differ too much')
  }
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody
  const signed = await new Blob([`${id}.${timestamp}.`, body as Uint8Array<ArrayBuffer>]).arrayBuffer()
  for (const one of [secret].flat()) {
    if (await isSigned(signed, signatures, one?.trim()))
      return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent
  }
  throw new WebhookVerificationError('No signature of the delivery matches the secret')
}

/** WebCrypto compares in constant time. During a rotation, a delivery has two signatures. */
async function isSigned(signed: ArrayBuffer, signatures: string, secret: string | undefined): Promise<boolean> {
  // Usually an unset variable.
  if (!secret?.startsWith('whsec_')) throw new TypeError('A webhook secret starts with whsec_')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', fromBase64(secret.slice(6)), algorithm, false, ['verify'])
  for (const signature of signatures.split(' ', SIGNATURES_MAX)) {
    const [version, value = ''] = signature.split(',')
    if (version !== 'v1' || !/^[A-Za-z0-9+/]{43}=$/.test(value)) continue
    if (await crypto.subtle.verify('HMAC', key, fromBase64(value), signed)) return true
  }
  return false
}

function header(headers: HeaderBag, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string') throw new WebhookVerificationError(`The delivery must have exactly one ${name} header`)
  return value
}

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))

import type { EventBodies } from '../generated/events.ts'

/** A delivery as it was sent, narrowed by its `event`. */
export type WebhookEvent = EventBodies[keyof EventBodies]

/** A delivery that is not one of ours, was changed, or is too old. Answer 401. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

export interface VerifyOptions {
  /** How far the clocks of sender and receiver may be apart, a delivery's way included; 300 unless given. */
  toleranceSeconds?: number
}

/** Each is compared with all of the body, and strangers may send as many as a header holds. */
const SIGNATURES_MAX = 8

type HeaderBag = Headers | Record<string, string | string[] | undefined>

/**
 * Checks a delivery's signature and age, and reads it. `rawBody` are the bytes as they came: what a framework parsed and
 * writes anew are others. While a secret is rotated, give both. Rejects with a `WebhookVerificationError`.
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
  // So also where the tolerance is no number, as of a setting that is missing.
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

/** WebCrypto compares in constant time. There are two signatures while a secret is rotated. */
async function isSigned(signed: ArrayBuffer, signatures: string, secret: string | undefined): Promise<boolean> {
  // Most often a setting that is missing.
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

import { createHmac } from 'node:crypto'
import { type Claim, readClaim } from '../src/signature/claim.ts'

/** The credentials of the examples in AWS's documentation. */
export const EXAMPLE = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}

const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()

export function signingKey(date: string, region = 'us-east-1', { secretAccessKey } = EXAMPLE, service = 's3'): Buffer {
  return [date, region, service, 'aws4_request'].reduce(hmac, `AWS4${secretAccessKey}` as string | Buffer) as Buffer
}

export interface Sent {
  method: string
  url: string
  headers: Readonly<Record<string, string>> | readonly (readonly [string, string])[]
}

export function received({ method, url, headers }: Sent) {
  const lines = Array.isArray(headers) ? headers : Object.entries(headers)
  return { method, url, rawHeaders: lines.flat() as string[] }
}

/** Verifies with the key of the claim's day, and with a wrong key before it, as while a server key is replaced. */
export function verified(sent: Sent, now: Date, credentials = EXAMPLE, region = 'us-east-1'): Claim {
  const claim = readClaim(received(sent), { region, now })
  if (claim === null) throw new Error('The request has no signature.')
  const key = signingKey(claim.date, claim.region, credentials)
  if (claim.verify([Buffer.alloc(32), key]) !== key) throw new Error('The wrong key was returned.')
  return claim
}

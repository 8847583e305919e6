import { createHmac, randomBytes } from 'node:crypto'
import { s3SigningDaysMax } from '@tideport/contracts/internal/api'
import { formatS3AccessKeyId, formatS3Secret } from '@tideport/contracts/public/api-key-format'

/** Keys of `S3_API_SECRET_KEYS`. The first one makes new secrets; secrets of all of them are valid. */
export type S3SecretKeys = readonly Buffer[]

export interface SigningScope {
  accessKey: string
  /** YYYYMMDD. */
  date: string
  region: string
}

export const createS3AccessKeyId = () => formatS3AccessKeyId(randomBytes(18))

/** Secrets are not stored: the server key and the access key ID determine them. */
export function s3CredentialsOf(accessKeyId: string, [first]: S3SecretKeys) {
  return { accessKeyId, secretAccessKey: secretOf(first as Buffer, accessKeyId) }
}

/** What SigV4 signs with on one day in one region. A gateway that has it cannot sign for other days. */
export function signingKeysOf({ accessKey, date, region }: SigningScope, serverKeys: S3SecretKeys): string[] {
  return serverKeys.map((serverKey) => {
    const start: Buffer = Buffer.from(`AWS4${secretOf(serverKey, accessKey)}`)
    return [date, region, 's3', 'aws4_request'].reduce(hmac, start).toString('base64')
  })
}

function secretOf(serverKey: Buffer, accessKeyId: string): string {
  return formatS3Secret(hmac(serverKey, accessKeyId))
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

const DAY_MS = 86_400_000

/** Whether a signature of this day can be valid now. Signing keys of other days are never given out. */
export function isSigningDay(date: string, now: number): boolean {
  const day = Date.parse(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T00:00:00Z`)
  const today = now - (now % DAY_MS)
  return day >= today - s3SigningDaysMax * DAY_MS && day <= today + DAY_MS
}

import { hash, randomBytes } from 'node:crypto'
import { apiKeyRandomBytes, formatApiKey } from '@tideport/contracts/public/api-key-format'

const SHOWN_LENGTH = 8

export interface KeySecret {
  key: string
  keyPrefix: string
  /** SHA-256 of the key. A fast hash is sufficient for 256 random bits. */
  digest: Buffer
}

export function createKeySecret(): KeySecret {
  const key = formatApiKey(randomBytes(apiKeyRandomBytes))
  return { key, keyPrefix: key.slice(0, SHOWN_LENGTH), digest: hash('sha256', key, 'buffer') }
}

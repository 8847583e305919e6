/**
 * `tdp_`, 43 base62 characters of 256 random bits, 6 of CRC32 over the rest (docs/reference/http/keys.md). Malformed
 * keys need no lookup.
 */
export const apiKeyPrefix = 'tdp_'

const secretLength = 43
const checksumLength = 6
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const shape = new RegExp(`^${apiKeyPrefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`)

export const apiKeyRandomBytes = 32

export function formatApiKey(random: Uint8Array): string {
  const unchecked = apiKeyPrefix + base62(numberOf(random), secretLength)
  return unchecked + checksum(unchecked)
}

/** Whether the text has the form of a key: prefix, length, alphabet, and checksum. The key may not exist. */
export function isWellFormedApiKey(text: string): boolean {
  if (!shape.test(text)) return false
  return checksum(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
}

/** Access key IDs of the S3 API. Some clients accept only 20 characters of this alphabet. */
export const s3AccessKeyIdPattern = /^TP[A-Z2-7]{18}$/

export function formatS3AccessKeyId(random: Uint8Array): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  return `TP${Array.from(random.subarray(0, 18), (byte) => letters[byte % letters.length]).join('')}`
}

/** 40 characters, as long as secrets of AWS. Only letters and digits, so that shells and URLs need no quotes. */
export function formatS3Secret(mac: Uint8Array): string {
  return base62(numberOf(mac), 40)
}

function numberOf(bytes: Uint8Array): bigint {
  let value = 0n
  for (const byte of bytes) value = (value << 8n) | BigInt(byte)
  return value
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), checksumLength)
}

function base62(value: bigint, length: number): string {
  let digits = ''
  for (let rest = value; digits.length < length; rest /= 62n) digits = alphabet[Number(rest % 62n)] + digits
  return digits
}

/** CRC-32 of ISO 3309 (as in zlib) over ASCII text. Not `node:zlib`, because this package also runs in browsers. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc ^= text.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}

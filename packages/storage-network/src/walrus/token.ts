import { createHmac, randomUUID } from 'node:crypto'
import type { WalrusSettings } from './settings.ts'

const HEADER = encode({ alg: 'HS256', typ: 'JWT' })

/** Valid for one upload of this size, lifetime, and owner. A publisher accepts each token once. */
export function mintToken(
  secret: string,
  { jwtSeconds, epochs, sendObjectTo }: Pick<WalrusSettings, 'jwtSeconds' | 'epochs' | 'sendObjectTo'>,
  size: { exact: number } | { max: number },
): string {
  const iat = Math.floor(Date.now() / 1000)
  const claims = {
    ...{ iat, exp: iat + jwtSeconds, jti: randomUUID(), epochs },
    ...('exact' in size ? { size: size.exact } : { max_size: size.max }),
    ...(sendObjectTo !== undefined && { send_object_to: sendObjectTo }),
  }
  const signed = `${HEADER}.${encode(claims)}`
  return `${signed}.${createHmac('sha256', keyOf(secret)).update(signed).digest('base64url')}`
}

/** As the publisher reads it: hexadecimal bytes after `0x`, otherwise the text itself. */
export function keyOf(secret: string): Buffer {
  return /^0x([0-9a-f]{2})+$/i.test(secret) ? Buffer.from(secret.slice(2), 'hex') : Buffer.from(secret)
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

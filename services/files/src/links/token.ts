import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 24
const shape = /^[A-Za-z0-9_-]{32}$/

/** 192 random bits, as 32 characters that need no encoding in a URL. */
export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** What the row of a link has of its token. */
export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Whether it could be a token at all. */
export function isToken(text: string): boolean {
  return shape.test(text)
}

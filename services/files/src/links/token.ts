import { createHash, randomBytes } from 'node:crypto'

const TOKEN_BYTES = 24
const shape = /^[A-Za-z0-9_-]{32}$/

export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

export function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

export function isToken(text: string): boolean {
  return shape.test(text)
}

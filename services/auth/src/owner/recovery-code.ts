import { hash, randomInt } from 'node:crypto'

/** Crockford's base32: no I, L, O, and U. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const groups = 7
const groupLength = 4

/** 140 random bits: `XXXX-XXXX-…`. */
export function createRecoveryCode(): string {
  const group = () => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: groups }, group).join('-')
}

/** Accepts any case, spaces, and the letters that people mistake for digits. A fast hash suffices for 140 random bits. */
export function recoveryDigest(typed: string): Buffer {
  const code = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return hash('sha256', code, 'buffer')
}

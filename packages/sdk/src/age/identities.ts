import { bech32 } from '@scure/base'
import type { Bytes } from '../crypto/floe.ts'

/** Contents of an identity file for `age -i`. */
export interface Identities {
  secrets: Bytes[]
  /** One sentence for each unusable line, without secrets. */
  skipped: string[]
}

const encrypted = /^(age-encryption\.org\/|-----BEGIN AGE ENCRYPTED FILE-----)/

/** Reads one identity per line; comments and blank lines are allowed. Throws a TypeError if no line is usable. */
export function readIdentities(texts: string | readonly string[]): Identities {
  const lines = [texts].flat().flatMap((text) => text.split(/\r\n|\r|\n/).map((line) => line.trim()))
  const found: Identities = { secrets: [], skipped: [] }
  for (const [index, line] of lines.entries()) {
    if (line === '' || line.startsWith('#')) continue
    if (encrypted.test(line)) throw new TypeError('The identity file is encrypted. Decrypt it with `age -d` first')
    const secret = decodeKey('age-secret-key-', line)
    if (secret) found.secrets.push(secret)
    else found.skipped.push(`Line ${index + 1} skipped: ${kindOf(line)}`)
  }
  if (found.secrets.length > 0) return found
  throw new TypeError(
    ['The text contains no age identity (AGE-SECRET-KEY-1…)', ...found.skipped.slice(0, 3)].join('. '),
  )
}

/** Decodes the 32 bytes of an age key. Returns null for another prefix or a mistyped key. */
export function decodeKey(prefix: string, text: string): Bytes | null {
  try {
    const decoded = bech32.decodeToBytes(text)
    return decoded.prefix === prefix && decoded.bytes.length === 32 ? new Uint8Array(decoded.bytes) : null
  } catch {
    return null
  }
}

function kindOf(line: string): string {
  if (/^AGE-SECRET-KEY-PQ-1/i.test(line)) return 'post-quantum identities are not supported'
  if (/^AGE-PLUGIN-/i.test(line)) return 'plugin identities are not supported'
  if (/^age1/i.test(line)) return 'a recipient cannot decrypt'
  return 'not an age identity'
}

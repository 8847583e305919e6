import type { Bytes } from '../crypto/floe.ts'

/** Bech32 (BIP 173) without its limit of length, as age writes recipients and identities. */
const letters = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

export function encodeBech32(prefix: string, bytes: Uint8Array): string {
  const words = regroup(bytes, 8, 5, true)
  const sum = checksum([...expand(prefix), ...words, 0, 0, 0, 0, 0, 0]) ^ 1
  const check = [25, 20, 15, 10, 5, 0].map((shift) => (sum >>> shift) & 31)
  return `${prefix}1${[...words, ...check].map((word) => letters[word]).join('')}`
}

/** Null for what is not of this prefix, or mistyped. */
export function decodeBech32(prefix: string, text: string): Bytes | null {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return null
  const lower = text.toLowerCase()
  if (!lower.startsWith(`${prefix}1`)) return null
  const words = [...lower.slice(prefix.length + 1)].map((letter) => letters.indexOf(letter))
  if (words.length < 6 || words.includes(-1) || checksum([...expand(prefix), ...words]) !== 1) return null
  return Uint8Array.from(regroup(words.slice(0, -6), 5, 8, false))
}

const expand = (prefix: string) => [
  ...ascii(prefix).map((code) => code >> 5),
  0,
  ...ascii(prefix).map((code) => code & 31),
]
const ascii = (text: string) => [...text].map((letter) => letter.charCodeAt(0))

function checksum(words: number[]): number {
  const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
  return words.reduce((sum, word) => {
    const mixed = ((sum & 0x1ffffff) << 5) ^ word
    return generator.reduce((value, term, bit) => ((sum >>> (25 + bit)) & 1 ? value ^ term : value), mixed)
  }, 1)
}

function regroup(values: Iterable<number>, from: number, to: number, pad: boolean): number[] {
  const out: number[] = []
  let held = 0
  let bits = 0
  for (const value of values) {
    held = ((held << from) | value) & 0xfff
    bits += from
    while (bits >= to) {
      bits -= to
      out.push((held >> bits) & (2 ** to - 1))
    }
  }
  if (pad && bits > 0) out.push((held << (to - bits)) & (2 ** to - 1))
  return out
}

/**
 * Unsigned varint (LEB128) of a whole number up to 2^53 - 1. Arithmetic instead of shifts: shifts are 32-bit in
 * JavaScript and corrupt sizes from 2 GiB on.
 */
export function encodeVarint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80)
    rest = Math.floor(rest / 0x80)
  }
  bytes.push(rest)
  return Buffer.from(bytes)
}

/** The varint at `offset` and the offset after it; null when the bytes end inside of it or it leaves 2^53. */
export function decodeVarint(bytes: Buffer, offset: number): { value: number; next: number } | null {
  let value = 0
  let factor = 1
  for (let next = offset; next < bytes.length; ) {
    const byte = bytes.readUInt8(next++)
    value += (byte & 0x7f) * factor
    if (!Number.isSafeInteger(value)) return null
    if (byte < 0x80) return { value, next }
    factor *= 0x80
  }
  return null
}

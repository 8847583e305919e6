/** Unsigned varints (LEB128) up to 2^53 - 1. Shifts are 32-bit in JavaScript and corrupt sizes from 2 GiB on. */
export function encodeVarint(value: number): Buffer {
  const bytes = Buffer.alloc(varintLength(value))
  writeVarint(bytes, 0, value)
  return bytes
}

export function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 0x80; rest /= 0x80) length++
  return length
}

export function writeVarint(bytes: Buffer, offset: number, value: number): number {
  let at = offset
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[at++] = (rest % 0x80) + 0x80
  bytes[at++] = rest
  return at
}

/** The varint at `offset`, and the offset after it. Null: the bytes end inside the varint, or it exceeds 2^53 - 1. */
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

/** Reversed polynomials, with the width in bits. */
const polynomials = {
  crc32: { polynomial: 0xedb88320n, width: 32 },
  crc32c: { polynomial: 0x82f63b78n, width: 32 },
  crc64nvme: { polynomial: 0x9a6c9329ac4bc9b5n, width: 64 },
}

export type CrcName = keyof typeof polynomials

export const isCrcName = (name: string): name is CrcName => Object.hasOwn(polynomials, name)

/** The CRC, in base64, of parts in their order. */
export function combineCrcs(name: CrcName, parts: { digest: string; sizeBytes: number }[]): string {
  const { width } = polynomials[name]
  const shifts = new Map<number, bigint>()
  let combined = 0n
  for (const { digest, sizeBytes } of parts) {
    // Parts mostly have one size, and its shift costs more than using it.
    const shift = shifts.get(sizeBytes) ?? shiftBy(name, sizeBytes)
    shifts.set(sizeBytes, shift)
    combined = multiply(name, shift, combined) ^ BigInt(`0x${Buffer.from(digest, 'base64').toString('hex')}`)
  }
  return Buffer.from(combined.toString(16).padStart(width / 4, '0'), 'hex').toString('base64')
}

/** x to the power of the bits, modulo the polynomial: what appending as many zero bits does to a CRC. */
function shiftBy(name: CrcName, sizeBytes: number): bigint {
  const { width } = polynomials[name]
  let result = 1n << BigInt(width - 1)
  let square = result >> 1n
  for (let left = BigInt(sizeBytes) * 8n; left > 0n; left >>= 1n) {
    if (left & 1n) result = multiply(name, square, result)
    square = multiply(name, square, square)
  }
  return result
}

/** The product of two polynomials in reversed order of bits. */
function multiply(name: CrcName, one: bigint, other: bigint): bigint {
  const { polynomial, width } = polynomials[name]
  let product = 0n
  let factor = other
  for (let bit = 1n << BigInt(width - 1); bit > 0n; bit >>= 1n) {
    if (one & bit) product ^= factor
    factor = factor & 1n ? (factor >> 1n) ^ polynomial : factor >> 1n
  }
  return product
}

/** A polynomial in reversed order of bits, in two halves: numbers are many times as fast as one bigint. */
interface Word {
  high: number
  low: number
}

const polynomials = {
  crc32: { polynomial: { high: 0, low: 0xedb88320 }, width: 32 },
  crc32c: { polynomial: { high: 0, low: 0x82f63b78 }, width: 32 },
  crc64nvme: { polynomial: { high: 0x9a6c9329, low: 0xac4bc9b5 }, width: 64 },
}

export type CrcName = keyof typeof polynomials

export const isCrcName = (name: string): name is CrcName => Object.hasOwn(polynomials, name)

/** The CRC, in base64, of parts in their order. */
export function combineCrcs(name: CrcName, parts: { digest: string; sizeBytes: number }[]): string {
  const { width } = polynomials[name]
  const shifts = new Map<number, Word>()
  let combined: Word = { high: 0, low: 0 }
  for (const { digest, sizeBytes } of parts) {
    // Parts mostly have one size, and its shift costs more than using it.
    const shift = shifts.get(sizeBytes) ?? shiftBy(name, sizeBytes)
    shifts.set(sizeBytes, shift)
    const { high, low } = multiply(name, shift, combined)
    const own = Buffer.concat([Buffer.alloc(8), Buffer.from(digest, 'base64')]).subarray(-8)
    combined = { high: high ^ own.readUInt32BE(0), low: low ^ own.readUInt32BE(4) }
  }
  const bytes = Buffer.alloc(8)
  bytes.writeInt32BE(combined.high, 0)
  bytes.writeInt32BE(combined.low, 4)
  return bytes.subarray(-width / 8).toString('base64')
}

/** x to the power of the bits, modulo the polynomial: what appending as many zero bits does to a CRC. */
function shiftBy(name: CrcName, sizeBytes: number): Word {
  const isWide = polynomials[name].width === 64
  const wordOf = (top: number): Word => (isWide ? { high: top, low: 0 } : { high: 0, low: top })
  let result = wordOf(0x80000000)
  let square = wordOf(0x40000000)
  for (let left = sizeBytes * 8; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = multiply(name, square, result)
    square = multiply(name, square, square)
  }
  return result
}

/** The product of two polynomials. */
function multiply(name: CrcName, one: Word, other: Word): Word {
  const { polynomial, width } = polynomials[name]
  let [high, low] = [0, 0]
  let { high: factorHigh, low: factorLow } = other
  for (let bit = width - 1; bit >= 0; bit -= 1) {
    if ((bit >= 32 ? one.high >>> (bit - 32) : one.low >>> bit) & 1) {
      high ^= factorHigh
      low ^= factorLow
    }
    const isOdd = factorLow & 1
    factorLow = (factorLow >>> 1) | (factorHigh << 31)
    factorHigh >>>= 1
    if (isOdd) {
      factorHigh ^= polynomial.high
      factorLow ^= polynomial.low
    }
  }
  return { high, low }
}

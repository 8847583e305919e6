import { describe, expect, it } from 'vitest'
import { decodeVarint, encodeVarint } from '../../src/unixfs/varint.ts'

/** The definition, with integers of any size. */
function reference(value: number): Buffer {
  const bytes: number[] = []
  let rest = BigInt(value)
  for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

const edges = [7, 14, 31, 32, 33, 40, 52].flatMap((p) => [2 ** p - 1, 2 ** p, 2 ** p + 1])
const values = [0, 1, 300, ...edges, 3 * 1024 ** 3 + 5, Number.MAX_SAFE_INTEGER]

describe('varint', () => {
  it('encodes every size by the definition, also beyond 2 GiB, and decodes it at any offset', () => {
    for (const value of values) {
      expect(encodeVarint(value), `${value}`).toEqual(reference(value))
      const bytes = Buffer.concat([Buffer.of(0xff, 0xff), encodeVarint(value), Buffer.of(7)])
      expect(decodeVarint(bytes, 2)).toEqual({ value, next: bytes.length - 1 })
    }
  })

  it('rejects a truncated number and one beyond the safe integers', () => {
    expect(decodeVarint(Buffer.of(0x80), 0)).toBeNull()
    expect(decodeVarint(Buffer.alloc(0), 0)).toBeNull()
    expect(decodeVarint(Buffer.alloc(20, 0xff), 0)).toBeNull()
  })
})

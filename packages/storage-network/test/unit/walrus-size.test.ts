import { describe, expect, it } from 'vitest'
import { encodedSizeBytes, largestBlobBytes } from '../../src/walrus/encoded-size.ts'
import { billedBytes } from '../../src/walrus/walrus-network.ts'

describe('the billed encoded size of a blob', () => {
  it.each([
    // As documented by Walrus: a kilobyte is billed as 66 MB.
    [1_000, 66_034_000],
    [0, 66_034_000],
    [445_556, 66_034_000],
    [445_557, 68_036_000],
    [1024 ** 2, 70_038_000],
    [100 * 1024 ** 2, 536_504_000],
  ])('of %i bytes on 1000 shards is %i', (size, encoded) => {
    expect(encodedSizeBytes(size, 1000)).toBe(encoded)
  })

  it('includes the tree if the tree is a separate blob', () => {
    const MIB = 1024 ** 2
    const trees = [1, 39, 41].map((size) => billedBytes(size * MIB, 1000) - encodedSizeBytes(size * MIB, 1000))
    expect(trees).toEqual([0, 0, 66_034_000])
  })

  it('follows from the number of shards, like the size of the largest blob', () => {
    expect(largestBlobBytes(1000)).toBe(14_599_533_452)
    expect(largestBlobBytes(10)).toBe(4 * 7 * 65_534)
    expect(encodedSizeBytes(1, 10)).toBe(10 * (4 + 7) * 2 + 10 * (640 + 32))
  })
})

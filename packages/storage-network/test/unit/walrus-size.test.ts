import { describe, expect, it } from 'vitest'
import { encodedSizeBytes, largestBlobBytes } from '../../src/walrus/encoded-size.ts'
import { billedBytes } from '../../src/walrus/walrus-network.ts'

describe('the encoded size of a blob, which is what is paid for', () => {
  it.each([
    // As Walrus documents it: a kilobyte is billed as 66 MB.
    [1_000, 66_034_000],
    [0, 66_034_000],
    [445_556, 66_034_000],
    [445_557, 68_036_000],
    [1024 ** 2, 70_038_000],
    [100 * 1024 ** 2, 536_504_000],
  ])('of %i bytes on 1000 shards is %i', (size, encoded) => {
    expect(encodedSizeBytes(size, 1000)).toBe(encoded)
  })

  it('includes the size of the tree where the tree is a blob of its own', () => {
    const MIB = 1024 ** 2
    const trees = [1, 39, 41].map((size) => billedBytes(size * MIB, 1000) - encodedSizeBytes(size * MIB, 1000))
    expect(trees).toEqual([0, 0, 66_034_000])
  })

  it('follows from the number of shards, as the largest blob does', () => {
    expect(largestBlobBytes(1000)).toBe(14_599_533_452)
    expect(largestBlobBytes(10)).toBe(4 * 7 * 65_534)
    expect(encodedSizeBytes(1, 10)).toBe(10 * (4 + 7) * 2 + 10 * (640 + 32))
  })
})

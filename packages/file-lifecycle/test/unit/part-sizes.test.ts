import { expect, it } from 'vitest'
import { countParts, packSizes, rangeOfPart } from '../../src/upload/part-sizes.ts'

it('finds each part of a file, and packs equal parts', () => {
  const sizes = [5, 5, 5, 7, 5, 0]
  const partSizes = packSizes(sizes)
  expect(partSizes).toEqual([3, 5, 1, 7, 1, 5, 1, 0])
  expect(countParts(partSizes)).toBe(6)
  const file = { partSizes, sizeBytes: 27 }
  let start = 0
  for (const [index, size] of sizes.entries()) {
    expect(rangeOfPart(file, index + 1)).toEqual({ start, end: start + size })
    start += size
  }
  expect(rangeOfPart(file, 7)).toBeNull()
  expect(countParts(null)).toBeNull()
  expect(rangeOfPart({ partSizes: null, sizeBytes: 27 }, 1)).toEqual({ start: 0, end: 27 })
  expect(rangeOfPart({ partSizes: null, sizeBytes: 27 }, 2)).toBeNull()
})

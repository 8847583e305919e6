import { describe, expect, it } from 'vitest'
import { compareParts, partCount, placeOfPart } from '../../src/upload/upload-urls.ts'

const upload = { sizeBytes: 25, partSizeBytes: 10 }
const arrived = (...sizes: number[]) =>
  sizes.map((sizeBytes, index) => ({ partNumber: index + 1, sizeBytes, etag: '' }))

describe('the parts of an upload', () => {
  it.each([
    { sizeBytes: 25, partSizeBytes: 10, sizes: [10, 10, 5] },
    { sizeBytes: 20, partSizeBytes: 10, sizes: [10, 10] },
    { sizeBytes: 9, partSizeBytes: 10, sizes: [9] },
    { sizeBytes: 0, partSizeBytes: 10, sizes: [0] },
    { sizeBytes: 25, partSizeBytes: null, sizes: [25] },
    { sizeBytes: 0, partSizeBytes: null, sizes: [0] },
  ])('cover $sizeBytes bytes in parts of $partSizeBytes without gap or overlap', ({ sizes, ...upload }) => {
    const places = Array.from({ length: partCount(upload) }, (_, index) => placeOfPart(upload, index + 1))
    expect(places.map(({ sizeBytes }) => sizeBytes)).toEqual(sizes)
    let end = 0
    for (const { offsetBytes, sizeBytes } of places) {
      expect(offsetBytes).toBe(end)
      end += sizeBytes
    }
  })

  it('count as complete only when all exist with their sizes', () => {
    expect(compareParts(upload, arrived(10, 10, 5))).toBeNull()
    expect(compareParts(upload, [])).toBe('incomplete')
    expect(compareParts(upload, arrived(10, 10))).toBe('incomplete')
    expect(compareParts(upload, arrived(10, 10, 4))).toBe('mismatch')
    expect(compareParts(upload, arrived(10, 9, 5))).toBe('mismatch')
    expect(compareParts(upload, arrived(10, 10, 5, 1))).toBe('mismatch')
    expect(compareParts({ sizeBytes: 25, partSizeBytes: null }, arrived(25, 1))).toBe('mismatch')
    expect(compareParts({ sizeBytes: 25, partSizeBytes: null }, arrived(24))).toBe('mismatch')
  })
})

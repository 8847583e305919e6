import { describe, expect, it } from 'vitest'
import { roomNext, roomNow } from '../../src/job/export-account.ts'

const MIB = 1024 ** 2

describe('parts of an export to a bucket', () => {
  it('grow while they are fast and full, and shrink while they are slow', () => {
    const full = { isFull: true, tookMs: 1000 }
    expect(roomNext(32 * MIB, full)).toBe(64 * MIB)
    expect(roomNext(32 * MIB, { ...full, isFull: false })).toBe(32 * MIB)
    expect(roomNext(32 * MIB, { ...full, tookMs: 15_000 })).toBe(32 * MIB)
    expect(roomNext(32 * MIB, { isFull: false, tookMs: 21_000 })).toBe(16 * MIB)
  })

  it('halve after each failure, down to the smallest part', () => {
    expect([0, 1, 2, 3, 11].map((attempt) => roomNow(undefined, attempt) / MIB)).toEqual([32, 16, 8, 8, 8])
    expect(roomNow(256 * MIB, 1)).toBe(128 * MIB)
    expect(roomNow(4 * MIB, 0)).toBe(8 * MIB)
  })
})

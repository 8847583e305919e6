import { expect, it } from 'vitest'
import { billedBytes } from '../../src/s3/s3-network.ts'

const MIB = 1024 ** 2
const KIB = 1024

it('a bucket bills at least the minimum of a storage class, and the tree by the default class', () => {
  const settings = { storageClass: 'GLACIER_IR', minBilledBytes: 128 * KIB }
  expect([0, 1, 128 * KIB, 128 * KIB + 1].map((size) => billedBytes(settings, size))).toEqual([
    ...[128 * KIB, 128 * KIB, 128 * KIB],
    128 * KIB + 1,
  ])
  const tree = billedBytes({}, 3 * MIB) - 3 * MIB
  expect(tree).toBeGreaterThan(0)
  expect(billedBytes(settings, 3 * MIB)).toBe(3 * MIB + tree)
  expect(billedBytes({ minBilledBytes: 4 * KIB }, 3 * MIB)).toBe(3 * MIB + 4 * KIB)
})

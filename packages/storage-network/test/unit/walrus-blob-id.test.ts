import { describe, expect, it } from 'vitest'
import { canComputeBlobIds, computeBlobId, isWalrusBlobId } from '../../src/walrus/blob-id.ts'

const pattern = (size: number, seed: number) => Uint8Array.from({ length: size }, (_, index) => (index + seed) % 256)

describe('a Walrus blob ID', () => {
  it.each([
    // From the tests of the TypeScript SDK (MystenLabs/ts-sdks, packages/walrus/test/unit/blob-encoding.test.ts).
    [100, 1, '5a9PFTKPcQ4DbDE-2MDwT5B38qkTxhHaKgfM1xKzmU4'],
    [10_000, 42, 'DT8sosEzCz5bWLenUKGdt7j5zmIvlw5snOECpXQViII'],
  ])('equals that of Walrus for %i bytes on 1000 shards', async (size, seed, blobId) => {
    expect(canComputeBlobIds()).toBe(true)
    expect(await computeBlobId(pattern(size, seed), 1000)).toBe(blobId)
    expect(isWalrusBlobId(blobId)).toBe(true)
  })

  it('fails for more bytes than this many shards can hold, and is still computed for the next blob', async () => {
    const [tooLarge, next] = [computeBlobId(new Uint8Array(3_000_000), 10), computeBlobId(pattern(100, 1), 10)]
    await expect(tooLarge).rejects.toThrow()
    expect(isWalrusBlobId(await next)).toBe(true)
  })

  it.each(['', '../etc', '5a9PFTKPcQ4DbDE-2MDwT5B38qkTxhHaKgfM1xKzmU', '5a9PFTKPcQ4DbDE-2MDwT5B38qkTxhHaKgfM1xKzmU5'])(
    'is not %j',
    (text) => {
      expect(isWalrusBlobId(text)).toBe(false)
    },
  )
})

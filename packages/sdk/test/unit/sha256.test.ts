import { createHash } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import { startSha256 } from '../../src/transfer/sha256.ts'

const judge = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
afterEach(() => void vi.restoreAllMocks())

it.for(['of the platform', 'of the library'])(
  'returns the same SHA-256 (%s) however the bytes are split',
  async (which) => {
    if (which === 'of the library') vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    const bytes = Uint8Array.from({ length: 130 }, (_, index) => (index * 31) % 256)
    for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 130]) {
      const whole = bytes.subarray(0, length)
      for (const cut of [1, 55, 64, 300]) {
        const hash = await startSha256()
        for (let at = 0; at < length; at += cut) hash.update(whole.subarray(at, Math.min(length, at + cut)))
        expect(hash.hex(), `${length} by ${cut}`).toBe(judge(whole))
      }
    }
  },
)

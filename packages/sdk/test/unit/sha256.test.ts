import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { ourSha256, sha256 } from '../../src/transfer/sha256.ts'

const judge = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

it.for([ourSha256, sha256])('%o is SHA-256 at every length around its blocks, however the bytes are cut', (begin) => {
  const bytes = Uint8Array.from({ length: 300 }, (_, index) => (index * 31) % 256)
  for (let length = 0; length <= 300; length++) {
    const whole = bytes.subarray(0, length)
    for (const cut of [1, 55, 64, 300]) {
      const hash = begin()
      for (let at = 0; at < length; at += cut) hash.update(whole.subarray(at, Math.min(length, at + cut)))
      expect(hash.hex(), `${length} by ${cut}`).toBe(judge(whole))
    }
  }
})

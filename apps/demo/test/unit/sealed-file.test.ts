import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { CHUNK_BYTES, NONCE_PREFIX_BYTES, open, seal, sealedSizeBytes } from '../../src/sealed-file.ts'

const key = randomBytes(32)
const prefix = randomBytes(NONCE_PREFIX_BYTES)

async function* inParts(bytes: Buffer, partBytes: number) {
  for (let start = 0; start < bytes.length; start += partBytes) yield bytes.subarray(start, start + partBytes)
}
async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}
const sealed = (plaintext: Buffer) => collect(seal(inParts(plaintext, 100_003), key, prefix))

describe('the sealed format', () => {
  it.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES, 3 * CHUNK_BYTES + 17])(
    'gives back %i bytes, and its size is known beforehand',
    async (sizeBytes) => {
      const plaintext = randomBytes(sizeBytes)
      const bytes = await sealed(plaintext)
      expect(bytes.length).toBe(sealedSizeBytes(sizeBytes))
      expect((await collect(open(inParts(bytes, 65_536), key, prefix))).equals(plaintext)).toBe(true)
    },
  )

  it('notices a cut at a chunk boundary, a swap of chunks and a changed byte', async () => {
    const bytes = await sealed(randomBytes(3 * CHUNK_BYTES))
    const piece = CHUNK_BYTES + 16
    const [first, second, third] = [0, 1, 2].map((index) => bytes.subarray(index * piece, (index + 1) * piece))
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(5) ^ 1, 5)
    const broken = [[first, second], [second, first, third], [changed]].map((parts) => Buffer.concat(parts as Buffer[]))
    for (const forged of broken) await expect(collect(open(inParts(forged, 65_536), key, prefix))).rejects.toThrow()
  })
})

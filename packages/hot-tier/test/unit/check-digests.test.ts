import { createHash, hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { checkDigests } from '../../src/read-object.ts'

const sha256 = (bytes: Buffer) => hash('sha256', bytes)
const md5 = (bytes: Buffer) => hash('md5', bytes)

function md5OfParts(bytes: Buffer, partBytes: number): { md5: string; parts: number } {
  const all = createHash('md5')
  const parts = Math.max(1, Math.ceil(bytes.length / partBytes))
  for (let part = 0; part < parts; part += 1) {
    all.update(hash('md5', bytes.subarray(part * partBytes, (part + 1) * partBytes), 'buffer'))
  }
  return { md5: all.digest('hex'), parts }
}

async function compare(
  stored: Partial<Parameters<typeof checkDigests>[0]>,
  bytes: Buffer,
  partSizeBytes: number | null,
) {
  const digests = { sha256: null, md5: null, parts: null, ...stored }
  const check = checkDigests(digests, { sizeBytes: bytes.length, partSizeBytes })
  // Chunks and parts end at different offsets.
  const size = bytes.length < 100 ? 7 : 65_537
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
  const passed = await buffer(Readable.from(check.watch(Readable.from(chunks))))
  expect(passed.equals(bytes)).toBe(true)
  return check.compare(sha256(bytes))
}

describe('digests of a store', () => {
  it.each([0, 1, 9, 10, 11, 20, 25])(
    'prove %d bytes by their MD5, and parts by the MD5 of their MD5s',
    async (size) => {
      const bytes = Buffer.alloc(size, 'abc')
      expect(await compare({ md5: md5(bytes) }, bytes, null)).toBe('same')
      expect(await compare({ md5: md5(bytes) }, bytes, 10)).toBe('same')
      for (const partBytes of [10, Math.max(1, size)]) {
        expect(await compare(md5OfParts(bytes, partBytes), bytes, partBytes)).toBe('same')
      }
      const other = Buffer.alloc(size + 1, 'x')
      expect(await compare({ md5: md5(other) }, bytes, null)).toBe('unlike')
      expect(await compare({ md5: md5(other) }, bytes, 10)).toBe('unknown')
      expect(await compare({ ...md5OfParts(bytes, 10), md5: md5(other) }, bytes, 10)).toBe('unlike')
      expect(await compare({ md5: md5(other), parts: 1 }, bytes, null)).toBe('unknown')
      expect(await compare({ ...md5OfParts(bytes, 10), parts: 77 }, bytes, 10)).toBe('unknown')
    },
  )

  it('prove parts of our own sizes for uploads without a client', async () => {
    const bytes = Buffer.alloc(8 * 1024 ** 2 + 1)
    expect(await compare(md5OfParts(bytes, 8 * 1024 ** 2), bytes, null)).toBe('same')
  })

  it('prove and refute by a SHA-256 with any ETag, and nothing without both', async () => {
    const [bytes, other] = [Buffer.from('bytes'), Buffer.from('other')]
    expect(await compare({ sha256: sha256(bytes), md5: md5(other) }, bytes, null)).toBe('same')
    expect(await compare({ sha256: sha256(other), md5: md5(bytes) }, bytes, null)).toBe('other')
    expect(await compare({}, bytes, null)).toBe('unknown')
  })
})

import { hash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createArchiveList } from '../../src/archive/archive-list.ts'
import { blocksLength, bytesBefore, headerFrom, inBlocks } from '../../src/archive/stored-blocks.ts'
import {
  centralHeader,
  centralLength,
  descriptor,
  descriptorLength,
  endLength,
  endRecords,
  entryLength,
  localHeader,
  localLength,
} from '../../src/archive/zip-records.ts'

const MAX_32 = 2 ** 32 - 1
/**
 * The blocks of a file with this size have 0xffffffff bytes, for which the directory uses ZIP64. The blocks of the next
 * size have more bytes.
 */
const EXACT = 65_535 * 65_532 + 10
const FIRST_64 = EXACT + 1
const entry = (sizeBytes: number) => ({ name: Buffer.from('ü/a'), sizeBytes, seconds: 1_700_000_000 })

describe('records of a ZIP', () => {
  it.each([0, 5, EXACT - 1, EXACT, FIRST_64, MAX_32, 2 ** 40])(
    'have the announced length for a file of %d bytes',
    (sizeBytes) => {
      const file = entry(sizeBytes)
      expect(localHeader(file)).toHaveLength(localLength(file))
      expect(descriptor(file, 1)).toHaveLength(descriptorLength(file))
      expect(entryLength(file)).toBe(localLength(file) + blocksLength(sizeBytes) + descriptorLength(file))
      for (const at of [0, MAX_32 - 1, MAX_32, 2 ** 41]) {
        expect(centralHeader(file, 1, at)).toHaveLength(centralLength(file, at))
      }
    },
  )

  it('use 32 bits for sizes and offsets that fit, and ZIP64 from the first size whose blocks do not fit', () => {
    const small = centralHeader(entry(5), 7, 9)
    expect([small.readUInt32LE(16), small.readUInt32LE(20), small.readUInt32LE(24), small.readUInt32LE(42)]).toEqual([7, 10, 5, 9]) // biome-ignore format: one claim
    const lengths = [EXACT - 1, EXACT, FIRST_64].map((size) => [
      localHeader(entry(size)).length,
      descriptor(entry(size), 7).length,
      centralHeader(entry(size), 7, 0).length,
    ])
    expect(lengths).toEqual([
      [43, 16, 59],
      [43, 16, 79],
      [63, 24, 79],
    ])
    const packedBytes = BigInt(blocksLength(2 ** 40))
    const large = centralHeader(entry(2 ** 40), 7, 2 ** 41)
    expect([large.readUInt32LE(20), large.readUInt32LE(24), large.readUInt32LE(42)]).toEqual([MAX_32, MAX_32, MAX_32])
    const field = large.subarray(46 + 4 + 9)
    expect([field.readUInt16LE(0), field.readUInt16LE(2)]).toEqual([1, 24])
    expect([4, 12, 20].map((at) => field.readBigUInt64LE(at))).toEqual([2n ** 40n, packedBytes, 2n ** 41n])
    const far = centralHeader(entry(5), 7, MAX_32).subarray(46 + 4 + 9)
    expect([far.readUInt16LE(2), far.readBigUInt64LE(4)]).toEqual([8, BigInt(MAX_32)])
    const record = descriptor(entry(2 ** 40), 7)
    expect([record.readBigUInt64LE(8), record.readBigUInt64LE(16)]).toEqual([packedBytes, 2n ** 40n])
    const local = localHeader(entry(2 ** 40))
    expect([local.readUInt32LE(18), local.readUInt32LE(22)]).toEqual([MAX_32, MAX_32])
    expect([4, 12].map((at) => local.readBigUInt64LE(30 + 4 + 9 + at))).toEqual([2n ** 40n, packedBytes])
  })

  it('have a descriptor only after DEFLATE, and none for an empty file', () => {
    const flagsAndMethod = (sizeBytes: number) => {
      const [local, central] = [localHeader(entry(sizeBytes)), centralHeader(entry(sizeBytes), 7, 0)]
      return [local.readUInt16LE(6), local.readUInt16LE(8), central.readUInt16LE(8), central.readUInt16LE(10)]
    }
    expect(flagsAndMethod(0)).toEqual([0x0800, 0, 0x0800, 0])
    for (const sizeBytes of [1, FIRST_64]) expect(flagsAndMethod(sizeBytes)).toEqual([0x0808, 8, 0x0808, 8])
    expect(descriptor(entry(0), 0)).toHaveLength(0)
  })

  it('end with 32-bit numbers, or with ZIP64 records for larger numbers', () => {
    expect(endRecords({ count: 65_534, lengthBytes: 100, at: 1000 })).toHaveLength(22)
    for (const directory of [
      { count: 65_535, lengthBytes: 100, at: 1000 },
      { count: 1, lengthBytes: 100, at: 2 ** 40 },
    ]) {
      const end = endRecords(directory)
      expect(end).toHaveLength(endLength(directory))
      expect([end.readBigUInt64LE(32), end.readBigUInt64LE(40), end.readBigUInt64LE(48)]).toEqual([
        BigInt(directory.count),
        100n,
        BigInt(directory.at),
      ])
      expect(end.readBigUInt64LE(56 + 8)).toBe(BigInt(directory.at) + 100n)
      expect(end.readUInt16LE(56 + 20 + 10)).toBe(directory.count)
    }
  })
})

describe('the blocks of a file', () => {
  /** The blocks of bytes that arrive in pieces, from an offset on. */
  const blocksOf = (bytes: Buffer, from: number, pieceBytes: number) => {
    const pieces: Buffer[] = []
    let at = from
    for (let start = bytesBefore(from); start < bytes.length; start += pieceBytes) {
      for (const piece of inBlocks(bytes.subarray(start, start + pieceBytes), { sizeBytes: bytes.length, at })) {
        pieces.push(piece)
        at += piece.length
      }
    }
    return Buffer.concat(pieces)
  }

  it.each([1, 65_534, 65_535, 65_536, 131_070, 131_071, 200_000])(
    'inflate to its %d bytes, and can begin at any offset',
    (size) => {
      const bytes = Buffer.from(Array.from({ length: size }, (_, index) => (index * 7 + (index >> 9)) & 0xff))
      const whole = blocksOf(bytes, 0, 16_384)
      expect(whole).toHaveLength(blocksLength(size))
      expect(inflateRawSync(whole).equals(bytes)).toBe(true)
      for (const place of [0, 1, 4, 5, 6, 65_539, 65_540, 65_541, 65_544, 65_545, 131_080, 131_084, whole.length - 1]) {
        if (place >= whole.length) continue
        for (const pieceBytes of [1000, 65_535, 65_536, 1_000_000]) {
          expect(blocksOf(bytes, place, pieceBytes).equals(whole.subarray(place)), `${place} ${pieceBytes}`).toBe(true)
        }
        const header = headerFrom(size, place)
        expect(header.equals(whole.subarray(place, place + header.length))).toBe(true)
      }
    },
  )
})

describe('the list of an archive', () => {
  it('stores many files in little memory, and returns them and the length of the archive', () => {
    let held = 0
    const list = createArchiveList({ grow: (bytes) => (held += bytes) })
    const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
    for (let n = 0; n < 5000; n += 1) {
      list.add({ id: id(n), name: Buffer.from(`folder/${n}`), sizeBytes: n === 7 ? 2 ** 33 : n, seconds: n, crc: null })
    }
    expect(list.heldBytes).toBeLessThan(5000 * 64)
    expect(held).toBe(list.heldBytes)
    const files = [...list.files()]
    expect(files[4999]).toMatchObject({ id: id(4999), sizeBytes: 4999, seconds: 4999, crc: null })
    files[3]?.learn(0xfffffffe)
    expect([...list.files()][3]).toMatchObject({ id: id(3), crc: 0xfffffffe })
    expect([...list.files()].map(({ name }) => name.toString())).toEqual(files.map((_, n) => `folder/${n}`))
    const { lengthBytes, directory, entityId } = list.close()
    let at = 0
    let directoryBytes = 0
    for (const file of files) {
      directoryBytes += centralHeader(file, 0, at).length
      at += localHeader(file).length + blocksLength(file.sizeBytes) + descriptor(file, 0).length
    }
    expect(directory).toEqual({ count: 5000, lengthBytes: directoryBytes, at })
    expect(lengthBytes).toBe(at + directoryBytes + endRecords(directory).length)
    list.add({ id: id(5000), name: Buffer.from('more'), sizeBytes: 0, seconds: 0, crc: 0 })
    expect(list.close().entityId).not.toBe(entityId)
  })

  it('has a different ETag than archives with the older format, so their downloads start again', () => {
    const { entityId } = createArchiveList({ grow: () => undefined }).close()
    expect(entityId).not.toBe(`zip-${hash('sha256', '', 'base64url').slice(0, 32)}`)
  })
})

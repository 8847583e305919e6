import { describe, expect, it } from 'vitest'
import { createArchiveList } from '../../src/archive/archive-list.ts'
import {
  centralHeader,
  centralLength,
  descriptor,
  descriptorLength,
  endLength,
  endRecords,
  localHeader,
  localLength,
} from '../../src/archive/zip-records.ts'

const MAX_32 = 2 ** 32 - 1
const entry = (sizeBytes: number) => ({ name: Buffer.from('ü/a'), sizeBytes, seconds: 1_700_000_000 })

describe('records of a ZIP', () => {
  it.each([0, 5, MAX_32 - 1, MAX_32, 2 ** 40])('are as long as was said, of a file of %d bytes', (sizeBytes) => {
    const file = entry(sizeBytes)
    expect(localHeader(file)).toHaveLength(localLength(file))
    expect(descriptor(file, 1)).toHaveLength(descriptorLength(file))
    for (const at of [0, MAX_32 - 1, MAX_32, 2 ** 41]) {
      expect(centralHeader(file, 1, at)).toHaveLength(centralLength(file, at))
    }
  })

  it('tell sizes and places of 32 bits as such, and larger ones by 64', () => {
    const small = centralHeader(entry(5), 7, 9)
    expect([small.readUInt32LE(16), small.readUInt32LE(20), small.readUInt32LE(24), small.readUInt32LE(42)]).toEqual([7, 5, 5, 9]) // biome-ignore format: one claim
    const large = centralHeader(entry(2 ** 40), 7, 2 ** 41)
    expect([large.readUInt32LE(20), large.readUInt32LE(24), large.readUInt32LE(42)]).toEqual([MAX_32, MAX_32, MAX_32])
    const field = large.subarray(46 + 4 + 9)
    expect([field.readUInt16LE(0), field.readUInt16LE(2)]).toEqual([1, 24])
    expect([4, 12, 20].map((at) => field.readBigUInt64LE(at))).toEqual([2n ** 40n, 2n ** 40n, 2n ** 41n])
    const far = centralHeader(entry(5), 7, MAX_32).subarray(46 + 4 + 9)
    expect([far.readUInt16LE(2), far.readBigUInt64LE(4)]).toEqual([8, BigInt(MAX_32)])
    expect(descriptor(entry(2 ** 40), 7).readBigUInt64LE(16)).toBe(2n ** 40n)
    const local = localHeader(entry(2 ** 40))
    expect([local.readUInt32LE(18), local.readBigUInt64LE(30 + 4 + 9 + 4)]).toEqual([MAX_32, 2n ** 40n])
  })

  it('end with what 32 bits tell, or with where the larger numbers are', () => {
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

describe('the list of an archive', () => {
  it('holds many files in little, and knows them and its own length again', () => {
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
      at += localHeader(file).length + file.sizeBytes + descriptor(file, 0).length
    }
    expect(directory).toEqual({ count: 5000, lengthBytes: directoryBytes, at })
    expect(lengthBytes).toBe(at + directoryBytes + endRecords(directory).length)
    list.add({ id: id(5000), name: Buffer.from('more'), sizeBytes: 0, seconds: 0, crc: 0 })
    expect(list.close().entityId).not.toBe(entityId)
  })
})

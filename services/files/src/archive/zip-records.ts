import { blocksLength } from './stored-blocks.ts'

/** A file's entry. Its bytes are in stored blocks without compression (`stored-blocks.ts`). */
export interface ZipEntry {
  /** Its path as UTF-8. */
  name: Buffer
  sizeBytes: number
  /** Creation time in seconds since 1970. */
  seconds: number
}

/**
 * The records of a ZIP (APPNOTE 6.3.10). The checksum of a file follows its bytes in a data descriptor and is repeated
 * in the directory, so the bytes need not be read first. Streaming readers accept a descriptor only after DEFLATE,
 * because DEFLATE marks its own end. All lengths follow from names, sizes, and offsets. Numbers that do not fit into 32
 * bits use 64 bits (ZIP64).
 */

const MAX_32 = 0xffffffff
const MAX_16 = 0xffff
const NAME_IN_UTF8 = 0x0800
const HAS_DESCRIPTOR = 0x0008
const STORED = 0
const DEFLATED = 8
const VERSION = 20
const VERSION_64 = 45
/** Unix, which defines the permissions: rw-r--r-- for a file. */
const MADE_BY = (3 << 8) | VERSION_64
const PERMISSIONS = (0o100644 << 16) >>> 0
const TIME_LENGTH = 9

/** Whether the descriptor has 64 bits, as streaming readers expect for sizes above 0xffffffff. */
const isLarge = ({ sizeBytes }: ZipEntry) => blocksLength(sizeBytes) > MAX_32
/** In the directory, the value 0xffffffff itself refers to ZIP64. */
const isLargeInDirectory = ({ sizeBytes }: ZipEntry) => blocksLength(sizeBytes) >= MAX_32
const sizesOf = ({ sizeBytes }: ZipEntry) => ({ packedBytes: blocksLength(sizeBytes), sizeBytes })
const atMost32 = (size: number) => Math.min(size, MAX_32)

/** Length of a file's local header, blocks, and descriptor. */
export function entryLength(entry: ZipEntry): number {
  return localLength(entry) + blocksLength(entry.sizeBytes) + descriptorLength(entry)
}

export function localLength(entry: ZipEntry): number {
  return 30 + entry.name.length + TIME_LENGTH + (isLarge(entry) ? 20 : 0)
}

/**
 * Precedes a file's blocks. Its sizes are zero, because the descriptor has them. In ZIP64, they are in the extra field.
 */
export function localHeader(entry: ZipEntry): Buffer {
  const { packedBytes, sizeBytes } = sizesOf(entry)
  const isIn64 = isLarge(entry)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(isIn64 ? VERSION_64 : VERSION, 4)
  writeShared(header, entry, 6)
  if (isIn64) for (const at of [18, 22]) header.writeUInt32LE(MAX_32, at)
  header.writeUInt16LE(TIME_LENGTH + (isIn64 ? 20 : 0), 28)
  const sizes = field64(isIn64 ? [sizeBytes, packedBytes] : [])
  return Buffer.concat([header, entry.name, timeField(entry), sizes])
}

export function descriptorLength(entry: ZipEntry): number {
  if (entry.sizeBytes === 0) return 0
  return isLarge(entry) ? 24 : 16
}

/** Follows a file's blocks. An empty file has neither blocks nor a descriptor. */
export function descriptor(entry: ZipEntry, crc: number): Buffer {
  const record = Buffer.alloc(descriptorLength(entry))
  if (record.length === 0) return record
  const { packedBytes, sizeBytes } = sizesOf(entry)
  record.writeUInt32LE(0x08074b50, 0)
  record.writeUInt32LE(crc, 4)
  if (isLarge(entry)) {
    record.writeBigUInt64LE(BigInt(packedBytes), 8)
    record.writeBigUInt64LE(BigInt(sizeBytes), 16)
  } else {
    record.writeUInt32LE(packedBytes, 8)
    record.writeUInt32LE(sizeBytes, 12)
  }
  return record
}

export function centralLength(entry: ZipEntry, at: number): number {
  return 46 + entry.name.length + TIME_LENGTH + field64(largeOf(entry, at)).length
}

/** A file's entry in the directory. `at` is the offset of its local header. */
export function centralHeader(entry: ZipEntry, crc: number, at: number): Buffer {
  const header = Buffer.alloc(46)
  const large = largeOf(entry, at)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(MADE_BY, 4)
  header.writeUInt16LE(large.length > 0 ? VERSION_64 : VERSION, 6)
  writeShared(header, entry, 8)
  header.writeUInt32LE(crc, 16)
  const { packedBytes, sizeBytes } = sizesOf(entry)
  header.writeUInt32LE(atMost32(packedBytes), 20)
  header.writeUInt32LE(isLargeInDirectory(entry) ? MAX_32 : sizeBytes, 24)
  const more = field64(large)
  header.writeUInt16LE(TIME_LENGTH + more.length, 30)
  header.writeUInt32LE(PERMISSIONS, 38)
  header.writeUInt32LE(atMost32(at), 42)
  return Buffer.concat([header, entry.name, timeField(entry), more])
}

/** The directory: number of entries, number of bytes, and offset. */
export interface Directory {
  count: number
  lengthBytes: number
  at: number
}

export function endLength(directory: Directory): number {
  return endRecords(directory).length
}

/** The records at the end of the archive. */
export function endRecords({ count, lengthBytes, at }: Directory): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  for (const where of [8, 10]) end.writeUInt16LE(Math.min(count, MAX_16), where)
  end.writeUInt32LE(atMost32(lengthBytes), 12)
  end.writeUInt32LE(atMost32(at), 16)
  if (count < MAX_16 && lengthBytes < MAX_32 && at < MAX_32) return end
  const end64 = Buffer.alloc(56)
  end64.writeUInt32LE(0x06064b50, 0)
  end64.writeBigUInt64LE(44n, 4)
  end64.writeUInt16LE(MADE_BY, 12)
  end64.writeUInt16LE(VERSION_64, 14)
  for (const where of [24, 32]) end64.writeBigUInt64LE(BigInt(count), where)
  end64.writeBigUInt64LE(BigInt(lengthBytes), 40)
  end64.writeBigUInt64LE(BigInt(at), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(at + lengthBytes), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([end64, locator, end])
}

/** The fields from the flags to the length of the name, which local header and directory have in the same order. */
function writeShared(header: Buffer, { name, sizeBytes, seconds }: ZipEntry, at: number): void {
  header.writeUInt16LE(sizeBytes === 0 ? NAME_IN_UTF8 : NAME_IN_UTF8 | HAS_DESCRIPTOR, at)
  header.writeUInt16LE(sizeBytes === 0 ? STORED : DEFLATED, at + 2)
  const { time, date } = dosTime(seconds)
  header.writeUInt16LE(time, at + 4)
  header.writeUInt16LE(date, at + 6)
  header.writeUInt16LE(name.length, at + 20)
}

/** The numbers whose 32-bit fields refer to ZIP64: both sizes, then the offset. */
function largeOf(entry: ZipEntry, at: number): number[] {
  const { packedBytes, sizeBytes } = sizesOf(entry)
  return [...(isLargeInDirectory(entry) ? [sizeBytes, packedBytes] : []), ...(at >= MAX_32 ? [at] : [])]
}

function field64(values: readonly number[]): Buffer {
  if (values.length === 0) return Buffer.alloc(0)
  const field = Buffer.alloc(4 + 8 * values.length)
  field.writeUInt16LE(0x0001, 0)
  field.writeUInt16LE(8 * values.length, 2)
  for (const [index, value] of values.entries()) field.writeBigUInt64LE(BigInt(value), 4 + 8 * index)
  return field
}

/** The time in UTC. The DOS time of ZIP has no time zone. */
function timeField({ seconds }: ZipEntry): Buffer {
  const field = Buffer.alloc(TIME_LENGTH)
  field.writeUInt16LE(0x5455, 0)
  field.writeUInt16LE(5, 2)
  field.writeUInt8(1, 4)
  field.writeUInt32LE(seconds, 5)
  return field
}

function dosTime(seconds: number): { time: number; date: number } {
  const at = new Date(Math.max(seconds, 315_532_800) * 1000)
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  return { time, date }
}

import { createHash } from 'node:crypto'
import type { Room } from '@tideport/service-kit/process/byte-share'
import { parse, stringify } from 'uuid'
import { centralLength, type Directory, endLength, entryLength, type ZipEntry } from './zip-records.ts'

/** A file in an archive. `crc` is null while its CRC-32 is unknown. */
export interface ArchivedFile extends ZipEntry {
  id: string
  crc: number | null
}

export interface ArchiveList {
  readonly count: number
  readonly heldBytes: number
  add(file: ArchivedFile): void
  /** All files in order. `learn` stores the CRC-32 of a file. */
  files(): Generator<ArchivedFile & { learn: (crc: number) => void }>
  /** The length of the archive, the ID of its bytes for the ETag, and the place of its directory. */
  close(): { lengthBytes: number; entityId: string; directory: Directory }
}

/**
 * Has to change when `zip-records.ts` produces other bytes for the same files, so that an older download starts again.
 */
const FORMAT = 'stored blocks'
const BLOCK_BYTES = 64 * 1024
/** id 16, size 8, seconds 4, checksum 4, whether it is known 1, length of the name 2 */
const FIXED_BYTES = 35

/** Reserves its memory in `room`, which throws when no memory is left. */
export function createArchiveList(room: Pick<Room, 'grow'>): ArchiveList {
  const blocks: { bytes: Buffer; used: number }[] = []
  const hash = createHash('sha256').update(FORMAT)
  let count = 0
  let at = 0
  let directoryBytes = 0

  function place(length: number): { bytes: Buffer; from: number } {
    const last = blocks.at(-1)
    if (last !== undefined && last.used + length <= BLOCK_BYTES) {
      last.used += length
      return { bytes: last.bytes, from: last.used - length }
    }
    room.grow(BLOCK_BYTES)
    const bytes = Buffer.alloc(BLOCK_BYTES)
    blocks.push({ bytes, used: length })
    return { bytes, from: 0 }
  }

  return {
    get count() {
      return count
    },
    get heldBytes() {
      return blocks.length * BLOCK_BYTES
    },
    add(file) {
      const { id, name, sizeBytes, seconds, crc } = file
      const { bytes, from } = place(FIXED_BYTES + name.length)
      bytes.set(parse(id), from)
      bytes.writeDoubleLE(sizeBytes, from + 16)
      bytes.writeUInt32LE(seconds, from + 24)
      bytes.writeUInt32LE(crc ?? 0, from + 28)
      bytes.writeUInt8(crc === null ? 0 : 1, from + 32)
      bytes.writeUInt16LE(name.length, from + 33)
      bytes.set(name, from + FIXED_BYTES)
      // The fields that determine the bytes of the archive. The bytes of a file never change.
      hash.update(bytes.subarray(from, from + 28)).update(bytes.subarray(from + 33, from + FIXED_BYTES + name.length))
      count += 1
      directoryBytes += centralLength(file, at)
      at += entryLength(file)
    },
    *files() {
      for (const { bytes, used } of blocks) {
        for (let from = 0; from < used; ) {
          const start = from
          const nameEnd = start + FIXED_BYTES + bytes.readUInt16LE(start + 33)
          yield {
            id: stringify(bytes.subarray(start, start + 16)),
            name: bytes.subarray(start + FIXED_BYTES, nameEnd),
            sizeBytes: bytes.readDoubleLE(start + 16),
            seconds: bytes.readUInt32LE(start + 24),
            crc: bytes.readUInt8(start + 32) === 1 ? bytes.readUInt32LE(start + 28) : null,
            learn(crc) {
              bytes.writeUInt32LE(crc, start + 28)
              bytes.writeUInt8(1, start + 32)
            },
          }
          from = nameEnd
        }
      }
    },
    close() {
      const directory = { count, lengthBytes: directoryBytes, at }
      const lengthBytes = at + directoryBytes + endLength(directory)
      return { lengthBytes, entityId: `zip-${hash.copy().digest('base64url').slice(0, 32)}`, directory }
    },
  }
}

import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { plainFile } from '../local/plain-folders.ts'

/** Position of a file's bytes in the CARs of an export: docs/guides/leave.md. */
export interface Part {
  name: string
  offset: number
  length: number
  sizeBytes: number
}

const LEAF_BYTES = 1024 * 1024
const CID_BYTES = 36

/** A source for a file in the CARs of a folder. All leaves of a part except the last have the same length. */
export function carSource(folder: string, parts: readonly Part[]) {
  const size = parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return {
    size,
    slice: (start: number, end: number) => ReadableStream.from(bytesBetween(folder, parts, start, end)),
  }
}

async function* bytesBetween(folder: string, parts: readonly Part[], start: number, end: number) {
  let partAt = 0
  for (const part of parts) {
    const [from, to] = [Math.max(start - partAt, 0), Math.min(end - partAt, part.sizeBytes)]
    partAt += part.sizeBytes
    if (from >= to) continue
    await using car = await open(await plainFile(folder, part.name))
    for (let at = from; at < to; ) {
      const leaf = Math.floor(at / LEAF_BYTES)
      const leafBytes = Math.min(LEAF_BYTES, part.sizeBytes - leaf * LEAF_BYTES)
      const within = at - leaf * LEAF_BYTES
      const length = Math.min(to - at, leafBytes - within)
      const place = part.offset + leaf * sectionBytes(LEAF_BYTES) + sectionBytes(leafBytes) - leafBytes + within
      const bytes = new Uint8Array(length)
      const { bytesRead } = await car.read(bytes, 0, length, place)
      if (bytesRead < length) throw new Error(`${join(folder, part.name)} is truncated. Download the export again`)
      yield bytes
      at += length
    }
  }
}

/** A section of a CAR: its length as a varint, the CID, and the block. */
function sectionBytes(blockBytes: number): number {
  let digits = 1
  for (let rest = CID_BYTES + blockBytes; rest >= 128; rest = Math.floor(rest / 128)) digits++
  return digits + CID_BYTES + blockBytes
}

import type { ByteRange } from '@tideport/storage-network/storage-network'
import type { ArchivedFile, ArchiveList } from './archive-list.ts'
import type { Checksums } from './checksums.ts'
import { fileBytes, type ReadDeps } from './file-bytes.ts'
import { blocksLength } from './stored-blocks.ts'
import {
  centralHeader,
  centralLength,
  type Directory,
  descriptor,
  endRecords,
  entryLength,
  localHeader,
  localLength,
} from './zip-records.ts'

interface Sent {
  list: ArchiveList
  directory: Directory
  range: ByteRange
}

type Listed = ReturnType<ArchiveList['files']> extends Generator<infer File> ? File : never

/** Both ends included. A file is read in full where its checksum is unknown but needed by the directory. */
export async function* archiveBytes(
  deps: ReadDeps,
  { list, directory, range }: Sent,
  checksums: Checksums,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const { start, end } = range
  const cut = (record: Buffer, at: number) => record.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at))
  const isWanted = (at: number, next: number) => next > start && at <= end

  async function* part(file: Listed, from: number, to: number, isSummed: boolean) {
    const sum = yield* fileBytes(deps, file, { from, to, isSummed }, signal)
    if (sum === null) return
    file.learn(sum)
    file.crc = sum
    await deps.asking(() => checksums.note(file.id, sum))
  }
  async function sumOf(file: Listed): Promise<number> {
    if (file.crc === null) for await (const _ of part(file, 0, 0, true));
    return (file as ArchivedFile).crc ?? 0
  }

  let at = 0
  for (const file of list.files()) {
    if (at > end) return
    const bytesAt = at + localLength(file)
    const behind = bytesAt + blocksLength(file.sizeBytes)
    const next = at + entryLength(file)
    if (isWanted(at, bytesAt)) yield cut(localHeader(file), at)
    if (isWanted(bytesAt, behind)) {
      const from = Math.max(start, bytesAt) - bytesAt
      const to = Math.min(end + 1, behind) - bytesAt
      yield* part(file, from, to, file.crc === null && end >= behind)
    }
    if (isWanted(behind, next)) yield cut(descriptor(file, await sumOf(file)), behind)
    at = next
  }
  let entryAt = directory.at
  let fileAt = 0
  for (const file of list.files()) {
    if (entryAt > end) return
    const length = centralLength(file, fileAt)
    if (isWanted(entryAt, entryAt + length)) yield cut(centralHeader(file, await sumOf(file), fileAt), entryAt)
    entryAt += length
    fileAt += entryLength(file)
  }
  if (entryAt <= end) yield cut(endRecords(directory), entryAt)
}

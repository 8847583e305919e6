import { crc32 } from 'node:zlib'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import { readFileCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { SendDeps } from '../downloads/send-file.ts'
import type { ArchivedFile } from './archive-list.ts'
import { bytesBefore, headerFrom, inBlocks } from './stored-blocks.ts'

/** The owner deleted a file of the list permanently before its bytes were read. */
export class FileGone extends Error {
  override name = 'FileGone'
}

export type ReadDeps = Pick<SendDeps, 'db' | 'log' | 'noteRead'> & {
  hotTier: HotTier
  networks: Networks
  /** Runs Postgres queries, each with the wait limit of a request. */
  asking<T>(work: () => Promise<T>): Promise<T>
}

/**
 * The blocks of a file from `from` to `to`. `isSummed`: also its checksum, which requires reading the complete file.
 */
interface FilePart {
  from: number
  to: number
  isSummed: boolean
}

/** Yields the part and returns the checksum. Also reads a trashed file until it is deleted permanently. */
export async function* fileBytes(
  deps: ReadDeps,
  { id, sizeBytes }: Pick<ArchivedFile, 'id' | 'sizeBytes'>,
  { from, to, isSummed }: FilePart,
  signal: AbortSignal,
): AsyncGenerator<Buffer, number | null> {
  const [first, last] = [bytesBefore(from), bytesBefore(to)]
  let blockAt = from
  let sum = 0
  if (isSummed || first < last) {
    const found = await deps.asking(() => readFileCopies(deps.db, id))
    if (found === null) throw new FileGone()
    const isWhole = isSummed || (first === 0 && last === sizeBytes)
    const { bytes, source } = await openBytes(
      deps,
      found,
      isWhole ? undefined : { start: first, end: last - 1 },
      signal,
    )
    deps.noteRead(source)
    let at = isWhole ? 0 : first
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      if (isSummed) sum = crc32(chunk, sum)
      const part = chunk.subarray(Math.max(0, first - at), Math.max(0, last - at))
      for (const piece of inBlocks(part, { sizeBytes, at: blockAt })) {
        yield piece
        blockAt += piece.length
      }
      at += chunk.length
    }
    if (at !== (isWhole ? sizeBytes : last)) throw new Error(`File ${id} has a different length than its row`)
  }
  // The part may end inside a header.
  if (blockAt < to) yield headerFrom(sizeBytes, blockAt).subarray(0, to - blockAt)
  return isSummed ? sum : null
}

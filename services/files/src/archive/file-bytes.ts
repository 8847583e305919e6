import { crc32 } from 'node:zlib'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import { readFileCopies } from '@tideport/file-lifecycle/state/read-file-copies'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { SendDeps } from '../downloads/send-bytes.ts'
import type { ArchivedFile } from './archive-list.ts'

/** A file of a list was removed for good, by its owner, before its bytes were read. */
export class FileGone extends Error {
  override name = 'FileGone'
}

export type ReadDeps = Pick<SendDeps, 'db' | 'log' | 'noteRead'> & {
  hotTier: HotTier
  networks: Networks
  /** Runs what asks Postgres: each time with what a request may wait. */
  asking<T>(work: () => Promise<T>): Promise<T>
}

/** The bytes of a file from `from` up to `to`, and its checksum, for which it is read from its beginning to its end. */
export interface FilePart {
  from: number
  to: number
  isSummed: boolean
}

/** Gives the part, and in the end the checksum. Also of a file that was thrown away since, as long as it is there. */
export async function* fileBytes(
  deps: ReadDeps,
  { id, sizeBytes }: Pick<ArchivedFile, 'id' | 'sizeBytes'>,
  { from, to, isSummed }: FilePart,
  signal: AbortSignal,
): AsyncGenerator<Buffer, number | null> {
  const found = await deps.asking(() => readFileCopies(deps.db, id))
  if (found === null) throw new FileGone()
  const isWhole = isSummed || (from === 0 && to === sizeBytes)
  const { bytes, source } = await openBytes(deps, found, isWhole ? undefined : { start: from, end: to - 1 }, signal)
  deps.noteRead(source)
  let at = isWhole ? 0 : from
  let sum = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    if (isSummed) sum = crc32(chunk, sum)
    const part = chunk.subarray(Math.max(0, from - at), Math.max(0, to - at))
    if (part.length > 0) yield part
    at += chunk.length
  }
  if (at !== (isWhole ? sizeBytes : to)) throw new Error(`File ${id} has another length than its row`)
  return isSummed ? sum : null
}

import type { UploadedPart } from '@tideport/hot-tier/write-object'
import type { FileRow } from '../state/tables.ts'

type Upload = Pick<FileRow, 'sizeBytes' | 'partSizeBytes'>

/** Where the bytes of one part lie in the file. */
export interface PartPlace {
  partNumber: number
  offsetBytes: number
  sizeBytes: number
}

/** A plain upload is part 1 with every byte. An empty file is one part of 0 bytes. */
export function partCount({ sizeBytes, partSizeBytes }: Upload): number {
  return partSizeBytes === null ? 1 : Math.max(1, Math.ceil(sizeBytes / partSizeBytes))
}

/** `partNumber` is 1 to `partCount`. */
export function placeOfPart({ sizeBytes, partSizeBytes }: Upload, partNumber: number): PartPlace {
  const fullBytes = partSizeBytes ?? sizeBytes
  const offsetBytes = (partNumber - 1) * fullBytes
  return { partNumber, offsetBytes, sizeBytes: Math.min(fullBytes, sizeBytes - offsetBytes) }
}

/** What is wrong with the parts that arrived: some are missing, or some are not what was announced. */
export function compareParts(upload: Upload, parts: UploadedPart[]): 'incomplete' | 'mismatch' | null {
  const count = partCount(upload)
  const areAsAnnounced = parts.every(
    ({ partNumber, sizeBytes }) => partNumber <= count && placeOfPart(upload, partNumber).sizeBytes === sizeBytes,
  )
  if (!areAsAnnounced) return 'mismatch'
  return parts.length < count ? 'incomplete' : null
}

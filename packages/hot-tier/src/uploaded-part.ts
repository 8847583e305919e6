import { textOf } from '@tideport/s3-client/xml'

export interface UploadedPart {
  partNumber: number
  sizeBytes: number
  etag: string
}

/** One of a list of parts. */
export function readPart(part: string): UploadedPart {
  const [partNumber, sizeBytes, etag] = ['PartNumber', 'Size', 'ETag'].map((name) => textOf(part, name))
  return { partNumber: Number(partNumber ?? 0), sizeBytes: Number(sizeBytes ?? -1), etag: etag ?? '' }
}

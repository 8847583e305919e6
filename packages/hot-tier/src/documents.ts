import { documentOf } from '@tideport/s3-client/document'
import type { Answer } from '@tideport/s3-client/exchange'
import { malformed } from '@tideport/s3-client/s3-error'
import { escapeText, textOf } from '@tideport/s3-client/xml'

export interface UploadedPart {
  partNumber: number
  sizeBytes: number
  etag: string
}

/** Of the answer to a begun multipart upload. */
export function readUploadId(answer: Answer): string {
  const uploadId = textOf(documentOf('InitiateMultipartUploadResult')(answer), 'UploadId')
  if (!uploadId) throw malformed('has no upload id')
  return uploadId
}

/** One of a list of parts. */
export function readPart(part: string): UploadedPart {
  const [partNumber, sizeBytes, etag] = ['PartNumber', 'Size', 'ETag'].map((name) => textOf(part, name))
  return { partNumber: Number(partNumber ?? 0), sizeBytes: Number(sizeBytes ?? -1), etag: etag ?? '' }
}

/** What asks for an object of these parts. */
export function completionOf(parts: readonly Pick<UploadedPart, 'partNumber' | 'etag'>[]): string {
  const listed = parts.map(
    ({ partNumber, etag }) => `<Part><ETag>${escapeText(etag)}</ETag><PartNumber>${partNumber}</PartNumber></Part>`,
  )
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'
  return `<CompleteMultipartUpload xmlns="${namespace}">${listed.join('')}</CompleteMultipartUpload>`
}

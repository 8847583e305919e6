import { documentOf } from './document.ts'
import type { Answer } from './exchange.ts'
import { malformed } from './s3-error.ts'
import { escapeText, textOf } from './xml.ts'

/** A part that the store has. */
export interface StoredPart {
  partNumber: number
  etag: string
  /** Base64 of its SHA-256, where the upload was begun with checksums. */
  checksumSha256?: string
}

/** Of the answer to a begun multipart upload. */
export function readUploadId(answer: Answer): string {
  const uploadId = textOf(documentOf('InitiateMultipartUploadResult')(answer), 'UploadId')
  if (!uploadId) throw malformed('has no upload id')
  return uploadId
}

/** What asks for an object of these parts. */
export function completionOf(parts: readonly StoredPart[]): string {
  const listed = parts.map(({ partNumber, etag, checksumSha256 }) => {
    const checksum = checksumSha256 === undefined ? '' : `<ChecksumSHA256>${checksumSha256}</ChecksumSHA256>`
    return `<Part><ETag>${escapeText(etag)}</ETag><PartNumber>${partNumber}</PartNumber>${checksum}</Part>`
  })
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'
  return `<CompleteMultipartUpload xmlns="${namespace}">${listed.join('')}</CompleteMultipartUpload>`
}

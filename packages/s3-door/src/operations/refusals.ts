import { type Algorithm, algorithms } from '../checksums/algorithms.ts'
import { S3Error, type S3ErrorCode } from '../errors.ts'
import { type Place, Refusal } from '../files-port.ts'
import type { OperationName } from '../routing/operation.ts'

const missing: Partial<Record<string, S3ErrorCode>> = {
  bucket: 'NoSuchBucket',
  key: 'NoSuchKey',
  upload: 'NoSuchUpload',
  source_bucket: 'NoSuchBucket',
  source_key: 'NoSuchKey',
}

const codes: Partial<Record<string, S3ErrorCode>> = {
  not_found: 'NoSuchKey',
  validation_failed: 'InvalidArgument',
  precondition_failed: 'PreconditionFailed',
  path_taken: 'PreconditionFailed',
  digest_mismatch: 'BadDigest',
  slug_taken: 'BucketAlreadyOwnedByYou',
  vault_not_empty: 'BucketNotEmpty',
  too_large: 'EntityTooLarge',
  entity_too_small: 'EntityTooSmall',
  invalid_part: 'InvalidPart',
  invalid_part_order: 'InvalidPartOrder',
  path_too_long: 'KeyTooLongError',
  key_invalid: 'InvalidArgument',
  insufficient_scope: 'AccessDenied',
  outside_key_limits: 'AccessDenied',
  unauthenticated: 'InvalidAccessKeyId',
  api_key_revoked: 'InvalidAccessKeyId',
  api_key_expired: 'InvalidAccessKeyId',
  range_not_satisfiable: 'InvalidRange',
  upload_incomplete: 'IncompleteBody',
  upload_mismatch: 'IncompleteBody',
  request_timeout: 'RequestTimeout',
  rate_limited: 'SlowDown',
  key_bytes_spent: 'SlowDown',
  too_many_open_uploads: 'SlowDown',
  too_many_folders: 'SlowDown',
  state_conflict: 'OperationAborted',
  upload_in_progress: 'OperationAborted',
  confirm_in_progress: 'SlowDown',
  restoring: 'SlowDown',
  unavailable: 'ServiceUnavailable',
  upload_lost: 'InternalError',
  content_lost: 'InternalError',
  not_downloadable: 'InvalidObjectState',
  expectation_failed: 'InvalidRequest',
}

/** The S3 code of a code of the files service. */
export function codeOf(code: string): S3ErrorCode {
  return codes[code] ?? 'InternalError'
}

/** The error that the client gets. Unknown errors become `InternalError`, without a word about their cause. */
export function toS3Error(error: unknown, place: Place, operation?: OperationName): S3Error {
  if (error instanceof S3Error) return error
  if (!(error instanceof Refusal)) return new S3Error('InternalError', undefined, {}, { cause: error })
  const known = fromRefusal(error, place, operation)
  known.retryAfterSeconds = error.retryAfterSeconds
  return known
}

function fromRefusal(error: Refusal, place: Place, operation: OperationName | undefined): S3Error {
  if (error.code === 'validation_failed' && operation !== undefined && ofUploads.has(operation)) {
    return new S3Error('InvalidRequest', error.message)
  }
  if (error.code === 'not_found') return notFound(error, place)
  if (error.code === 'digest_mismatch') return mismatch(error)
  if (error.code === 'quota_exceeded') return new S3Error('QuotaExceeded', error.message)
  if (error.code === 'range_not_satisfiable') return unsatisfiable(error)
  const code = codeOf(error.code)
  return new S3Error(code, hasOwnSentence.has(code) ? error.message : undefined, {}, { cause: error })
}

const ofUploads = new Set<OperationName>([
  'CreateMultipartUpload',
  'UploadPart',
  'UploadPartCopy',
  'CompleteMultipartUpload',
])

/** Codes whose sentence in S3 does not say what the client can do. */
const hasOwnSentence = new Set<S3ErrorCode>(['InvalidArgument', 'EntityTooLarge', 'OperationAborted'])

function notFound({ details }: Refusal, { bucket, key }: Place): S3Error {
  const code = missing[String(details.missing)] ?? (key === '' ? 'NoSuchBucket' : 'NoSuchKey')
  if (code === 'NoSuchBucket') {
    return new S3Error(code, undefined, details.missing === 'source_bucket' ? {} : { BucketName: bucket })
  }
  return new S3Error(code, undefined, code === 'NoSuchKey' && details.missing !== 'source_key' ? { Key: key } : {})
}

function mismatch({ details }: Refusal): S3Error {
  const [wrong = ''] = Array.isArray(details.wrong) ? details.wrong.map(String) : []
  if (wrong === 'content-sha256') return new S3Error('XAmzContentSHA256Mismatch')
  const algorithm = algorithms[wrong as Algorithm]
  const computed = (details.computed as Record<string, string> | undefined)?.[wrong === 'content-md5' ? 'md5' : wrong]
  const fields: Record<string, string> = computed === undefined ? {} : { CalculatedDigest: computed }
  if (algorithm === undefined) return new S3Error('BadDigest', undefined, fields)
  return new S3Error('BadDigest', `The ${algorithm.name} you specified did not match the calculated checksum.`, fields)
}

function unsatisfiable({ details }: Refusal): S3Error {
  const size = details.sizeBytes
  if (details.partNumber !== undefined) return new S3Error('InvalidPartNumber')
  return new S3Error('InvalidRange', undefined, size === undefined ? {} : { ActualObjectSize: String(size) })
}

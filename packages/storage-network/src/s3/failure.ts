import { S3Error } from '@tideport/s3-client/response'
import { cutOff, NetworkError } from '../errors.ts'

const ABSENT = new Set(['NoSuchKey', 'NoSuchVersion', 'NoSuchUpload', 'NoSuchObjectLockConfiguration', 'NotFound'])
const NO_SPACE = new Set(['QuotaExceeded', 'XMinioStorageFull', 'InsufficientStorage', 'InsufficientCapacity'])
/** undici's error codes for a server that accepted a request and does not respond. */
const SILENT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])

/**
 * S3 itself reports that this object, version, or upload does not exist. To report a copy as absent, callers also check
 * the marker.
 */
export function isAbsent(error: unknown): error is S3Error {
  return error instanceof S3Error && error.status === 404 && ABSENT.has(error.name)
}

/**
 * The error response that made a call fail, from S3 or a proxy in front of it. `code` is the name of the `S3Error`.
 * Null: no response was the cause.
 */
export function answerOf(error: unknown): { status: number; code: string } | null {
  const cause = error instanceof NetworkError ? error.cause : error
  return cause instanceof S3Error ? { status: cause.status, code: cause.name } : null
}

/** The object is archived and must be restored before it can be read. */
export function isArchived(error: unknown): error is S3Error {
  return error instanceof S3Error && error.name === 'InvalidObjectState'
}

/** The object ends before the range begins. */
export function isBeyondEnd(error: unknown): error is S3Error {
  return error instanceof S3Error && error.name === 'InvalidRange'
}

/** The bucket denies the request with an S3 error, for example to remove a locked object. */
export function isDenied(error: unknown): boolean {
  return error instanceof NetworkError && error.cause instanceof S3Error && error.cause.name === 'AccessDenied'
}

/**
 * `unreachable` for a bucket that is down, overloaded, or denies access; `copy_failed` for an error of one request.
 * Absent, archived, and out-of-range objects stay an `S3Error`. No message contains an address or a key.
 */
export function failureOf(error: unknown, { isLate = false } = {}): Error {
  if (error instanceof NetworkError || isAbsent(error) || isArchived(error) || isBeyondEnd(error)) return error
  if (isLate || SILENT.has((error as { code?: string }).code ?? '')) {
    const message = 'the bucket did not respond in time'
    return new NetworkError('copy_failed', message, { cause: error, fault: 'hanging' })
  }
  if (!(error instanceof S3Error)) return cutOff('the bucket', error)
  const { name, status } = error
  const answer = `the bucket returned ${status} (${name})`
  if (name === 'NoSuchBucket') return new NetworkError('unreachable', answer, { cause: error, fault: 'missing' })
  if (name === 'EntityTooLarge') return new NetworkError('too_large', answer, { cause: error })
  if (status === 507 || NO_SPACE.has(name)) return new NetworkError('no_space', answer, { cause: error })
  // 500 can also concern one object on a broken disk.
  const isOutage = [401, 403, 429].includes(status) || status > 500 || (error.isAnonymous && status !== 500)
  return new NetworkError(isOutage ? 'unreachable' : 'copy_failed', answer, { cause: error })
}

export function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw failureOf(error)
  }
}

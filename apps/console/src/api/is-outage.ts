import { ApiError, NetworkError, StorageError } from '@tideport/sdk'

/** Nothing was wrong with what was asked: whoever does not answer now may do so later. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ApiError || error instanceof StorageError) return error.status >= 502
  return error instanceof NetworkError || (error instanceof DOMException && error.name === 'TimeoutError')
}

import { ApiError, NetworkError, StorageError } from '@tideport/sdk'

/** Whether the same request may succeed later. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ApiError || error instanceof StorageError) return error.status >= 502
  return error instanceof NetworkError || (error instanceof DOMException && error.name === 'TimeoutError')
}

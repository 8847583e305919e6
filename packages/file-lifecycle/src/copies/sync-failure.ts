import { AppError } from '@tideport/service-kit/process/app-error'
import { NetworkError, type NetworkErrorCode } from '@tideport/storage-network/errors'
import type { FailureCode } from '../state/state.ts'

/** The bytes broke off on their way from the hot tier. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** Not found or not intact can only be the copy that stood in for a missing hot object. */
const permanent: Partial<Record<NetworkErrorCode, FailureCode>> = {
  refused: 'network_refused',
  too_large: 'network_refused',
  not_found: 'hot_copy_missing',
  integrity: 'hot_copy_missing',
}

/** The code of a failure that no repetition can mend; null when it may be tried again. */
export function permanentFailure(error: unknown): FailureCode | null {
  if (!(error instanceof NetworkError) || error.retryable) return null
  return permanent[error.code] ?? null
}

/** What the timeline says of a failed attempt; causes go to the log. */
export function failureReason(error: unknown): string {
  if (error instanceof NetworkError) return `network_${error.code}`
  return error instanceof SourceError || error instanceof AppError ? 'hot_tier' : 'unexpected'
}

import { AppError } from '@tideport/service-kit/process/app-error'
import { NetworkError, type NetworkErrorCode } from '@tideport/storage-network/errors'
import type { FailureCode } from '../state/state.ts'

/** The bytes broke off on their way from where they were read; never the fault of the network that was to take them. */
export class SourceError extends Error {
  override readonly name = 'SourceError'

  /** What has the bytes could not be asked, which is no fault of the file. */
  get isDown(): boolean {
    const { cause } = this
    if (cause instanceof AppError) return cause.code === 'unavailable'
    return cause instanceof NetworkError && (cause.code === 'unreachable' || cause.code === 'restoring')
  }
}

const permanent: Partial<Record<NetworkErrorCode, FailureCode>> = {
  refused: 'network_refused',
  too_large: 'network_refused',
}

/** The code of a failure that no repetition can mend; null when it may be tried again. */
export function permanentFailure(error: unknown): FailureCode | null {
  if (!(error instanceof NetworkError) || error.retryable) return null
  return permanent[error.code] ?? null
}

/** What the timeline says of a failed attempt; causes go to the log. */
export function failureReason(error: unknown): string {
  if (error instanceof NetworkError) return `network_${error.code}`
  if (error instanceof AppError && error.cause instanceof NetworkError) return `network_${error.cause.code}`
  return error instanceof SourceError || error instanceof AppError ? 'hot_tier' : 'unexpected'
}

/**
 * How long a copy that is being brought back from an archive takes at most, where that is all that went wrong; nothing
 * follows from it but to come again then.
 */
export function restoringSeconds(error: unknown): number | null {
  const cause = error instanceof AppError || error instanceof SourceError ? error.cause : error
  return cause instanceof NetworkError && cause.code === 'restoring' ? (cause.retryAfterSeconds ?? 3600) : null
}

/** By the network's own answer it does not have these bytes under this reference. */
export function isGone(error: unknown): boolean {
  return error instanceof NetworkError && (error.code === 'not_found' || error.code === 'integrity')
}

/** What was to be read is gone, whatever else the error is wrapped in on its way. */
export function comesOfLoss(error: unknown): boolean {
  return isGone(error) || (error instanceof Error && comesOfLoss(error.cause))
}

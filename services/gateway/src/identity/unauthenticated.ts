import { AppError } from '@tideport/service-kit/process/app-error'

/** One body for every way a credential can be wrong, so that an answer tells nothing about what was tried. */
export function unauthenticated(cause?: unknown): AppError {
  return new AppError('unauthenticated', 'Authentication failed. Send a valid API key or token.', { cause })
}

/** Whether an error of authenticating says that the credential is wrong, as opposed to an outage. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'unavailable'
}

/** An unknown key looks like any other invalid credential. */
export function withoutReason(error: unknown): unknown {
  return error instanceof AppError && error.code === 'unauthenticated' ? unauthenticated(error) : error
}

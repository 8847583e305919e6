import { AppError } from '@tideport/service-kit/process/app-error'

/** All invalid credentials get the same body, so a response reveals nothing about the credential. */
export function unauthenticated(cause?: unknown): AppError {
  return new AppError('unauthenticated', 'Authentication failed. Send a valid API key or token.', { cause })
}

/** Whether an authentication error means that the credential was rejected, not an outage. */
export function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code !== 'unavailable'
}

/** Makes an unknown key look like any other invalid credential. */
export function withoutReason(error: unknown): unknown {
  return error instanceof AppError && error.code === 'unauthenticated' ? unauthenticated(error) : error
}

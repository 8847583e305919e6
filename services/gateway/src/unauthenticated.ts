import { AppError } from '@tideport/service-kit/app-error'

/** One body for every way a credential can be wrong, so that an answer tells nothing about what was tried. */
export function unauthenticated(cause?: unknown): AppError {
  return new AppError('unauthenticated', 'Authentication failed: no valid API key or token was sent', { cause })
}

import type { ErrorCode } from '@tideport/contracts/endpoint/errors'

interface AppErrorOptions extends ErrorOptions {
  /** Public facts that a client can act on; never secrets. */
  details?: Record<string, unknown>
  retryAfterSeconds?: number
}

export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly details: Record<string, unknown> | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, publicMessage: string, options: AppErrorOptions = {}) {
    super(publicMessage, options)
    this.code = code
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** Responds with the same sentence for unknown, malformed, and foreign IDs. */
export function notFound(): AppError {
  return new AppError('not_found', 'Not found')
}

/** A dependency is unreachable: 503 with `Retry-After`. The message is public; the cause is not. */
export function unavailable(publicMessage = 'Temporarily unavailable', cause?: unknown): AppError {
  return new AppError('unavailable', publicMessage, { cause, retryAfterSeconds: 2 })
}

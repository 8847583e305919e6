import type { ErrorCode } from '@tideport/contracts/endpoint/errors'

export interface AppErrorOptions extends ErrorOptions {
  /** Public facts a client can act on; never secrets. */
  details?: Record<string, unknown>
  /** Answered as `Retry-After`. */
  retryAfterSeconds?: number
}

/** A failure with a public code and sentence, and a private cause. Its HTTP status is looked up in contracts. */
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

/** One constant sentence for everything that is missing, so that unknown, malformed and foreign ids look the same. */
export function notFound(): AppError {
  return new AppError('not_found', 'Not found')
}

/** A dependency cannot be reached now: 503 with `Retry-After`. The sentence is public, the cause is not. */
export function unavailable(publicMessage = 'Temporarily unavailable', cause?: unknown): AppError {
  return new AppError('unavailable', publicMessage, { cause, retryAfterSeconds: 2 })
}

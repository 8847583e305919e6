import { type ErrorBody, type ErrorCode, errorStatus } from '@tideport/contracts/endpoint/errors'
import { isUnavailable, lostALock } from '../postgres/database-errors.ts'
import { AppError, notFound, unavailable } from '../process/app-error.ts'

interface ErrorReply {
  status: number
  headers: Record<string, string>
  body: ErrorBody
}

/** The only place that maps thrown errors to responses. An unknown error becomes an opaque 500. */
export function toErrorReply(error: unknown): ErrorReply {
  const known = toAppError(error)
  return {
    status: errorStatus[known.code],
    headers: known.retryAfterSeconds === undefined ? {} : { 'retry-after': String(known.retryAfterSeconds) },
    body: {
      error: known.message,
      code: known.code,
      ...(known.details === undefined ? {} : { details: known.details }),
    },
  }
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isUnavailable(error) || lostALock(error)) return unavailable('The database is temporarily unavailable', error)
  return fromFastify(error) ?? new AppError('internal', 'Internal error', { cause: error })
}

const FASTIFY_ERRORS: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['too_large', 'The request body is too large'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'The request body must be JSON in UTF-8'],
}

function fromFastify(error: unknown): AppError | null {
  const { code, statusCode } = (error ?? {}) as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') return notFound()
  const [appCode, message] = FASTIFY_ERRORS[code ?? ''] ?? []
  if (appCode !== undefined) return new AppError(appCode, message ?? '', { cause: error })
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('validation_failed', 'The request could not be read', { cause: error })
  }
  return null
}

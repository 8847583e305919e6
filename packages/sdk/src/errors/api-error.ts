import type { ErrorCode } from './generated/error-classes.ts'

export interface ErrorAnswer {
  status: number
  /** Null if the response is not from Tideport, for example from a proxy. */
  code: ErrorCode | (string & Record<never, never>) | null
  message: string
  details: Record<string, unknown> | null
  /** ID of the request in the service logs. */
  requestId: string | null
  /** Seconds to wait before a retry; null if waiting does not help or is not specified. */
  retryAfterSeconds: number | null
}

/**
 * An error response. Each code has a subclass (`NotFoundError`) with that `name`, even in minified code. `message`
 * includes the fault of each field.
 */
export class ApiError extends Error {
  /** The message of the service, without field faults. */
  readonly sentence: string
  readonly status: ErrorAnswer['status']
  readonly code: ErrorAnswer['code']
  readonly details: ErrorAnswer['details']
  readonly requestId: ErrorAnswer['requestId']
  readonly retryAfterSeconds: ErrorAnswer['retryAfterSeconds']

  constructor({ message, status, code, details, requestId, retryAfterSeconds }: ErrorAnswer) {
    super(message + faultsIn(details))
    this.name = `${(code ?? 'api').replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}Error`
    this.sentence = message
    this.status = status
    this.code = code
    this.details = details
    this.requestId = requestId
    this.retryAfterSeconds = retryAfterSeconds
  }
}

function faultsIn(details: ErrorAnswer['details']): string {
  if (!Array.isArray(details?.issues) || details.issues.length === 0) return ''
  const issues = details.issues as ({ path?: unknown; message?: unknown } | null)[]
  return ` (${issues.map((one) => `${one?.path}: ${one?.message}`).join('; ')})`
}

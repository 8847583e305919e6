import type { ErrorCode } from './generated/error-classes.ts'

/** What the service said beside the status. */
export interface ErrorAnswer {
  status: number
  /** Null when it was not our service that spoke, e.g. a proxy in between. */
  code: ErrorCode | (string & Record<never, never>) | null
  /** The service's own sentence. */
  message: string
  details: Record<string, unknown> | null
  /** Names the request in the service's logs. */
  requestId: string | null
  /** Seconds to wait before asking again; null where waiting is not the remedy, or unsaid. */
  retryAfterSeconds: number | null
}

/**
 * An answer of the service that is no success. Each code has a class of its own (`NotFoundError`); all are this one.
 * `name` is that of the class, also where a bundler shortened it. `message` is the sentence, with what is wrong with each
 * field where the answer says that.
 */
export class ApiError extends Error {
  /** The service's own, without those. */
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

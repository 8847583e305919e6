import { z } from 'zod'
import type { ErrorCode } from '../endpoint/errors.ts'

/** Codes of the table, and those that a newer service may answer. */
type AnyCode = ErrorCode | (string & Record<never, never>)

/** An answer that is not the success its endpoint promises. Its message is the service's own sentence. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** Null when it was not our service that spoke, e.g. a proxy in between, or not as the contract says. */
  readonly code: AnyCode | null
  readonly details: Record<string, unknown> | null
  /** Names the request in the service's logs; null without one. */
  readonly requestId: string | null
  /** Seconds to wait before asking again; null where waiting is not the remedy, or unsaid. */
  readonly retryAfterSeconds: number | null

  constructor({ status, headers }: Response, body: Partial<z.infer<typeof anyErrorBody>>, options?: ErrorOptions) {
    super(body.error ?? `The answer (${status}) is not one of this API`, options)
    this.status = status
    this.code = body.code ?? null
    this.details = body.details ?? null
    this.requestId = headers.get('x-request-id')
    this.retryAfterSeconds = readSeconds(headers.get('retry-after'))
  }
}

/** `errorBody`, whatever the code is. */
const anyErrorBody = z.object({
  error: z.string(),
  code: z.string(),
  details: z.record(z.string(), z.unknown()).optional().catch(undefined),
})

/** The error that an answer says, whatever its body is. */
export function toApiError(response: Response, text: string): ApiError {
  try {
    return new ApiError(response, anyErrorBody.parse(JSON.parse(text)))
  } catch {
    return new ApiError(response, {})
  }
}

/** A date, which a proxy may write instead, is ignored: its clock is not ours. */
function readSeconds(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null
}

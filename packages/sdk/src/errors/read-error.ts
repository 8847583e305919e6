import { ApiError } from './api-error.ts'
import { errorClasses } from './generated/error-classes.ts'

export function readError(response: Response, text: string, endpoint: string): ApiError {
  const body = parse(text)
  const code = typeof body.code === 'string' && typeof body.error === 'string' ? body.code : null
  const Class = (code !== null && Object.hasOwn(errorClasses, code) && errorClasses[code]) || ApiError
  const retryAfter = response.headers.get('retry-after')
  return new Class({
    status: response.status,
    code,
    message:
      code === null
        ? `The response to ${endpoint} (status ${response.status}) does not come from Tideport`
        : (body.error as string),
    details: typeof body.details === 'object' ? (body.details as Record<string, unknown> | null) : null,
    requestId: response.headers.get('x-request-id'),
    // A date does not come from Tideport, but from a proxy.
    retryAfterSeconds: retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null,
  })
}

function parse(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

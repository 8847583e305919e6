const MAX_CAUSES = 5

/** Only these fields: clients attach requests, rows, and keys to their errors. */
export interface LoggedError {
  type: string
  code?: string
  message: string
  stack?: string
  cause?: LoggedError
}

export function toLoggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'Something else than an error was thrown' }
  const code = (error as { code?: unknown }).code
  const cause = depth < MAX_CAUSES ? error.cause : undefined
  return {
    type: error.name,
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {}),
    message: hideCredentials(error.message),
    ...(error.stack === undefined ? {} : { stack: hideCredentials(error.stack) }),
    ...(cause === undefined ? {} : { cause: toLoggedError(cause, depth + 1) }),
  }
}

/** Queries carry signatures and user infos carry passwords, so both are cut out of any URL. */
function hideCredentials(text: string): string {
  return text.replace(/([a-z][a-z0-9+]*:\/\/)[^\s/@'"]*@/gi, '$1…@').replace(/(:\/\/[^\s?'"]*)\?[^\s'")]*/g, '$1?…')
}

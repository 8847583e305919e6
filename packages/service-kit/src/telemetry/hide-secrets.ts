const SECRET_FIELDS = new Set([
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'key',
  'apiKey',
  'signature',
  'body',
])
const CENSORED = '[hidden]'

/**
 * The fields of a log line, those censored that could hold a secret by their name, at the top and one level down.
 * Pino's own `redact` takes 10 µs a line for the second level, twice what the rest of the line takes.
 */
export function hideSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return censor(fields, (value) => (isPlainObject(value) ? censor(value, (inner) => inner) : value))
}

function censor(fields: Record<string, unknown>, inside: (value: unknown) => unknown): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined
  for (const name of Object.keys(fields)) {
    const value = fields[name]
    const shown = SECRET_FIELDS.has(name) ? CENSORED : inside(value)
    if (shown === value) continue
    copy ??= { ...fields }
    copy[name] = shown
  }
  return copy ?? fields
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Error)
}

import pino from 'pino'
import { logFields } from '../context/request-context.ts'

export type Log = pino.Logger

const BUFFER_BYTES = 12_288
const FLUSH_MS = 250

interface LoggerOptions {
  service: string
  level: string
  /** Default: standard output, written in batches, and flushed when the process exits or logs a fatal line. */
  destination?: pino.DestinationStream
}

/** Writes JSON lines. Callers pass an object first, then a constant message. Secret fields are hidden by name. */
export function createLogger({ service, level, destination }: LoggerOptions): Log {
  return pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: () => logFields(),
      formatters: { level: (label) => ({ level: label }), log: hideSecrets },
      serializers: { err: (error: unknown) => toLoggedError(error) },
    },
    destination ?? openOutput(),
  )
}

type Buffered = ReturnType<typeof pino.destination>

let output: Buffered | undefined

/** Shared by all loggers, so that the lines of several services stay in order. */
function openOutput(): Buffered {
  output ??= flushedSoon(pino.destination({ dest: 1, sync: false, minLength: BUFFER_BYTES }))
  return output
}

/** Flushes every 250 ms while the buffer holds data. Pino's own periodic flush also writes an empty buffer. */
function flushedSoon(buffered: Buffered): Buffered {
  let unwrittenBytes = 0
  let timer: NodeJS.Timeout | undefined
  const write = buffered.write.bind(buffered)
  buffered.write = (line) => {
    unwrittenBytes += Buffer.byteLength(line)
    timer ??= setInterval(flush, FLUSH_MS).unref()
    return write(line)
  }
  buffered.on('write', (bytes) => {
    unwrittenBytes -= bytes
  })
  // A flush does nothing while an earlier write is in progress, so one flush is not enough.
  function flush(): void {
    if (unwrittenBytes > 0) {
      buffered.flush()
    } else {
      clearInterval(timer)
      timer = undefined
    }
  }
  return buffered
}

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

/** Checks the top level and one level below. Pino's `redact` takes 10 µs per line for the second level. */
function hideSecrets(fields: Record<string, unknown>): Record<string, unknown> {
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

const MAX_CAUSES = 5

/** Only these fields are logged, because client libraries attach requests, rows, and keys to their errors. */
export interface LoggedError {
  type: string
  code?: string
  message: string
  stack?: string
  cause?: LoggedError
}

export function toLoggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'A value that is not an error was thrown' }
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

/** Removes the query and the user info from every URL: they may contain signatures and passwords. */
function hideCredentials(text: string): string {
  return text.replace(/([a-z][a-z0-9+]*:\/\/)[^\s/@'"]*@/gi, '$1…@').replace(/(:\/\/[^\s?'"]*)\?[^\s'")]*/g, '$1?…')
}

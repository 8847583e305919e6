import type { Log } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { serviceOfWork } from '../telemetry/span.ts'
import { AppError } from './app-error.ts'
import { endProcess } from './end-process.ts'

const kinds = ['aborted', 'stream', 'connection', 'answer'] as const
/** The source of the error: an aborted call, a stream, a connection, or an error response to one request. */
type SingleKind = (typeof kinds)[number]

const connectionCodes = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTCONN',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOTFOUND',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
])

interface UncaughtOptions {
  log: Log
  metrics: Metrics
  /** Whether requests or jobs can exist that an error belongs to. */
  isStarted: () => boolean
}

/**
 * Exits with 1, except for errors of one request, stream, or connection (ADR 0032). Logs the service that started the
 * work, because `service` is the process.
 */
export function handleUncaught({ log, metrics, isStarted }: UncaughtOptions): void {
  const outlived = metrics.counter({
    name: 'tideport_uncaught_errors_total',
    help: 'Uncaught errors of one request, stream, or connection that the process survived',
    labelNames: ['kind'],
  })
  for (const kind of kinds) outlived.labels(kind).inc(0)
  const take = (error: unknown) => {
    const kind = isStarted() ? singleKind(error) : null
    if (kind !== null) {
      outlived.labels(kind).inc()
      return log.error({ err: error, kind, of: serviceOfWork() }, 'uncaught error of one request')
    }
    // The logger writes a fatal line before `exit` takes effect.
    log.fatal({ err: error, of: serviceOfWork() }, 'uncaught error')
    void endProcess(1, log)
  }
  process.on('uncaughtException', take)
  process.on('unhandledRejection', take)
}

/** Null if the error may not belong to one request only. */
function singleKind(error: unknown): SingleKind | null {
  if (!(error instanceof Error)) return null
  if (error instanceof AppError) return error.code === 'internal' ? null : 'answer'
  const { name, code } = error as NodeJS.ErrnoException
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ABORT_ERR') return 'aborted'
  if (code?.startsWith?.('ERR_STREAM_')) return 'stream'
  return connectionCodes.has(code ?? '') ? 'connection' : null
}

import type { Log } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { AppError } from './app-error.ts'
import { endProcess } from './end-process.ts'

const kinds = ['aborted', 'stream', 'connection', 'answer'] as const
/** What ended: a call somebody gave up, a stream, a connection to somebody, a request by the answer that it gets. */
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
  /** Whether there are requests or jobs yet that an error could belong to. */
  isStarted: () => boolean
}

/** Exits with 1, except for errors of one request, stream, or connection (ADR 0032). */
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
      return log.error({ err: error, kind }, 'uncaught error of one request')
    }
    // A fatal line is written out before `exit` takes effect.
    log.fatal({ err: error }, 'uncaught error')
    void endProcess(1, log)
  }
  process.on('uncaughtException', take)
  process.on('unhandledRejection', take)
}

/** Null: it may be anybody's. */
function singleKind(error: unknown): SingleKind | null {
  if (!(error instanceof Error)) return null
  if (error instanceof AppError) return error.code === 'internal' ? null : 'answer'
  const { name, code } = error as NodeJS.ErrnoException
  if (name === 'AbortError' || name === 'TimeoutError' || code === 'ABORT_ERR') return 'aborted'
  if (code?.startsWith?.('ERR_STREAM_')) return 'stream'
  return connectionCodes.has(code ?? '') ? 'connection' : null
}

import { setFlagsFromString } from 'node:v8'
import { z } from 'zod'
import { type Config, ConfigError, loadConfig } from '../config/config.ts'
import { misspelledSettings } from '../config/misspelled.ts'
import { processSettings } from '../config/process-settings.ts'
import { createLogger, type Log } from '../telemetry/logger.ts'
import { createMetrics, type Metrics } from '../telemetry/metrics.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { endProcess } from './end-process.ts'
import { armFailpoints } from './failpoint.ts'
import { type Health, serveHealth } from './health.ts'
import { limitStop, type StopLimit, type UnderWay } from './limit-stop.ts'
import { widenThreadPool } from './thread-pool.ts'
import { handleUncaught } from './uncaught.ts'

/** Time for sending the last spans, as part of the time to stop. */
const SEND_SPANS_MS = 2000
/** Time that remains for the exit after that. */
const EXIT_MS = 500

type ProcessShape = typeof processSettings & z.ZodRawShape

export interface RunContext<C> {
  config: C
  log: Log
  metrics: Metrics
  health: Health
  /** Disposed in reverse order on stop. Add a resource last if it must close first. */
  stack: AsyncDisposableStack
  /** Aborts when the process stops, before the stack is disposed. */
  signal: AbortSignal
  /** Adds a step that runs on SIGTERM or SIGINT, before `signal` aborts. Work continues meanwhile. */
  beforeStop(leave: () => Promise<void>): void
  /** Registers work that has its own time limit after SIGTERM or SIGINT. */
  letFinish(underWay: UnderWay): void
}

/**
 * Runs one process:
 *
 * - Reads the settings. If any are invalid, prints all faults and exits with 1. Misspelled names cause a warning.
 * - With `--check` on the command line, exits after reading the settings. Misspelled names are then faults.
 * - Serves the admin port, and runs `body`, which starts the work and returns.
 * - On SIGTERM or SIGINT: sets readiness to false, runs the `beforeStop` steps, aborts `signal`, disposes the stack,
 *   and exits with 0. Exits with 1 if this takes longer than SHUTDOWN_SECONDS, not counting work of `letFinish`.
 * - On an uncaught error: exits with 1, unless the error belongs to one request only.
 */
export async function run<Shape extends ProcessShape>(
  name: string,
  settings: z.ZodObject<Shape>,
  env: NodeJS.ProcessEnv,
  body: (context: RunContext<Config<Shape>>) => Promise<void>,
): Promise<void> {
  widenThreadPool(env)
  const loaded = readSettings(name, settings, env)
  if (loaded === null) return
  const misspelled = misspelledSettings(env, Object.keys(settings.shape))
  if (process.argv.includes('--check')) {
    if (misspelled.length > 0) return refuse(name, misspelled.join('\n'))
    return void process.stdout.write(`${name}: the configuration is valid\n`)
  }
  const { config, own } = loaded
  letHeapGrow()
  const log = createLogger({ service: name, level: own.logLevel })
  const metrics = createMetrics(name)
  let isStarted = false
  if (misspelled.length > 0) log.warn({ misspelled }, 'variables with misspelled names are ignored')
  handleUncaught({ log, metrics, isStarted: () => isStarted })
  if (own.serviceEnv === 'development' && own.failpointDir !== undefined) armFailpoints(own.failpointDir)

  const tracing = await traceIfWanted(name, own, log)
  const health = await serveHealth({ metrics, host: own.host, port: own.adminPort })
  log.info({ adminPort: health.port }, 'admin port open')
  const stopping = new AbortController()
  const stop = stopping.signal
  const stack = new AsyncDisposableStack()
  const leaves: (() => Promise<void>)[] = []
  const beforeStop = (leave: () => Promise<void>) => void leaves.push(leave)
  let underWay: UnderWay | undefined
  const letFinish = (given: UnderWay) => {
    underWay = given
  }
  let limit: StopLimit | undefined
  toldToStop().addEventListener('abort', async () => {
    health.markDraining()
    log.info({ shutdownSeconds: own.shutdownSeconds }, 'stopping')
    limit = limitStop(own.shutdownSeconds, underWay, log)
    await Promise.all(leaves.map((leave) => leave()))
    stopping.abort()
  })

  await body({ config, log, metrics, health, stack, signal: stop, beforeStop, letFinish }).catch(
    async (error: unknown) => {
      if (stop.aborted) return
      log.fatal({ err: error }, 'could not start')
      await endProcess(1, log)
    },
  )
  isStarted = true
  health.markStarted()
  log.info('started')
  await aborted(stop)
  await stack.disposeAsync()
  await health[Symbol.asyncDispose]()
  await tracing?.end(Math.min(SEND_SPANS_MS, (limit?.leftMs() ?? 0) - EXIT_MS))
  log.info('stopped')
  await endProcess(0, log)
}

/** Loads the SDK only if the process records spans. */
async function traceIfWanted(service: string, own: Config<typeof processSettings>, log: Log): Promise<Tracing | null> {
  const endpoint = own.otelExporterOtlpTracesEndpoint ?? own.otelExporterOtlpEndpoint
  if (own.otelSdkDisabled || endpoint === undefined) return null
  const { startTracing } = await import('../telemetry/tracing.ts')
  const { otelTracesSampler: sampler, otelTracesSamplerArg: ratio } = own
  log.info({ sampler, ratio }, 'recording spans')
  return startTracing({ service, sampler, ratio, log })
}

function readSettings<Shape extends ProcessShape>(name: string, settings: z.ZodObject<Shape>, env: NodeJS.ProcessEnv) {
  try {
    return { config: loadConfig(settings, env), own: loadConfig(z.object(processSettings), env) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    refuse(name, error.message)
    return null
  }
}

function refuse(name: string, faults: string): void {
  process.stderr.write(`${name}: the configuration is not valid\n${faults}\n`)
  process.exitCode = 1
}

/** Aborts on the first SIGTERM or SIGINT. Ignores further ones: terminals and supervisors send several. */
function toldToStop(): AbortSignal {
  const controller = new AbortController()
  process.on('SIGTERM', () => controller.abort())
  process.on('SIGINT', () => controller.abort())
  return controller.signal
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/**
 * Delays the next full collection until heap and buffers together are three times as large as after the last one. By
 * default, V8 marked the same 35 MB for every 20 to 60 MB of buffers, which was half of the cost of forwarding bytes
 * (ADR 0035).
 */
function letHeapGrow(): void {
  setFlagsFromString('--heap-growing-percent=200')
  setFlagsFromString('--external-memory-accounted-in-global-limit')
}

import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { z } from 'zod'
import { type Config, ConfigError, loadConfig } from '../config/config.ts'
import { misspelledSettings } from '../config/misspelled.ts'
import { processSettings } from '../config/process-settings.ts'
import { createLogger, type Log } from '../telemetry/logger.ts'
import { createMetrics } from '../telemetry/metrics.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import { aborted } from './aborted.ts'
import { endProcess } from './end-process.ts'
import { armFailpoints } from './failpoint.ts'
import { serveAdmin } from './health.ts'
import { limitStop } from './limit-stop.ts'
import { releaseMemory } from './release-memory.ts'
import { connectDirectly, isCalled, joinReadiness, type RunningService, startService } from './running-service.ts'
import type { Service, Start } from './service.ts'
import { environmentOf, namesOf, prefixedProcessSettings } from './shared-environment.ts'
import { widenThreadPool } from './thread-pool.ts'
import { handleUncaught } from './uncaught.ts'
import { watchEventLoop } from './watch-event-loop.ts'

/** Time for sending the last spans, as part of the time to stop. */
const SEND_SPANS_MS = 2000
/** When the memory of the start is released if nobody asks whether the process is ready. */
const RELEASE_MS = 10_000
/** Time that remains for the exit after that. */
const EXIT_MS = 500

/**
 * Runs one process with these services. With a shared name, settings may have the prefix of one service.
 *
 * - Reads the settings. If any are invalid, prints all faults and exits with 1. Misspelled names cause a warning, or with
 *   `--check-names` on the command line are faults too.
 * - With `--check` on the command line, exits after reading the settings and names.
 * - Serves the admin port, and starts the services.
 * - On SIGTERM or SIGINT: sets readiness to false, runs the `beforeStop` steps, stops the services, and exits with 0.
 *   Services that others call stop last. Exits with 1 if this takes longer than SHUTDOWN_SECONDS, not counting work of
 *   `letFinish`.
 * - On an uncaught error: exits with 1, unless the error belongs to one request only.
 */
export async function run(services: readonly Service[], env: NodeJS.ProcessEnv, sharedName?: string): Promise<void> {
  const isShared = sharedName !== undefined
  const name = sharedName ?? services.map((service) => service.name).join('+')
  widenThreadPool(env)
  const loaded = readSettings(name, services, env, isShared)
  if (loaded === null) return
  const known = isShared ? namesOf(services) : services.flatMap(({ settings }) => settings)
  const misspelled = [...misspelledSettings(env, known), ...(isShared ? prefixedProcessSettings(services, env) : [])]
  const isCheck = process.argv.includes('--check')
  const areFaults = isCheck || process.argv.includes('--check-names')
  if (areFaults && misspelled.length > 0) return refuse(name, misspelled.join('\n'))
  if (isCheck) return void process.stdout.write(`${name}: the configuration is valid\n`)
  const { own, starts } = loaded
  letHeapGrow()
  const log = createLogger({ service: name, level: own.logLevel })
  const metrics = createMetrics(name)
  metrics.observeProcess()
  let isStarted = false
  if (misspelled.length > 0) log.warn({ misspelled }, 'variables with misspelled names are ignored')
  handleUncaught({ log, metrics, isStarted: () => isStarted })
  if (own.serviceEnv === 'development' && own.failpointDir !== undefined) armFailpoints(own.failpointDir)

  const tracing = await traceIfWanted(name, own, log)
  const running: RunningService[] = []
  const admin = await serveAdmin(running, { metrics, host: own.host, port: own.adminPort })
  log.info({ adminPort: admin.port }, 'admin port open')
  const stop = toldToStop()
  const direct = connectDirectly(services)
  for (const { service, start, hasPort } of starts) {
    const alone = services.length === 1
    const ownLog = alone ? log : createLogger({ service: service.name, level: own.logLevel })
    const ownMetrics = alone ? metrics : createMetrics(service.name)
    const calls = direct(service, hasPort)
    running.push(startService(service.name, { start, log: ownLog, metrics: ownMetrics, direct: calls }))
  }
  joinReadiness(services, running)
  const allStarted = Promise.all(running.map(({ started }) => started)).then(() => {
    isStarted = true
    if (stop.aborted) return
    log.info('started')
    if (services.length > 1) watchEventLoop({ exitSeconds: own.blockedExitSeconds, log, metrics })
    // Not earlier, because the collection blocks the process.
    void Promise.race([admin.toldReady, delay(RELEASE_MS, undefined, { ref: false })]).then(releaseMemory)
  })
  await aborted(stop)
  for (const { health } of running) health.markDraining()
  log.info({ shutdownSeconds: own.shutdownSeconds }, 'stopping')
  const limit = limitStop(
    own.shutdownSeconds,
    running.flatMap(({ underWay }) => underWay()),
    log,
  )
  await Promise.all(running.map((service) => service.leave()))
  await Promise.all(running.filter(({ name: other }) => !isCalled(other, services)).map((service) => service.stop()))
  await Promise.all(running.filter(({ name: other }) => isCalled(other, services)).map((service) => service.stop()))
  await allStarted
  await admin[Symbol.asyncDispose]()
  await tracing?.end(Math.min(SEND_SPANS_MS, limit.leftMs() - EXIT_MS))
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

/** Null after all faults of all services have been printed. */
function readSettings(name: string, services: readonly Service[], env: NodeJS.ProcessEnv, isShared: boolean) {
  const faults = new Set<string>()
  const collect = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      for (const fault of error.faults) faults.add(fault)
      return undefined
    }
  }
  const own = collect(() => loadConfig(z.object(processSettings), env))
  const starts: { service: Service; start: Start; hasPort: boolean }[] = []
  for (const service of services) {
    const ownEnv = isShared ? environmentOf(service, services, env) : env
    const start = collect(() => service.configure(ownEnv))
    if (start !== undefined) starts.push({ service, start, hasPort: Boolean(ownEnv.PORT || ownEnv.PORT_FILE) })
  }
  if (own !== undefined && faults.size === 0) return { own, starts }
  refuse(name, [...faults].join('\n'))
  return null
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

/**
 * Delays the next full collection until heap and buffers together are three times as large as after the last one. By
 * default, V8 marked the same 35 MB for every 20 to 60 MB of buffers, which was half of the cost of forwarding bytes
 * (ADR 0035).
 */
function letHeapGrow(): void {
  setFlagsFromString('--heap-growing-percent=200')
  setFlagsFromString('--external-memory-accounted-in-global-limit')
}

import type { Server } from 'node:http'
import type { Log } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { inService } from '../telemetry/span.ts'
import { endProcess } from './end-process.ts'
import { Health } from './health.ts'
import type { UnderWay } from './limit-stop.ts'
import type { DirectCalls, Service, Start } from './service.ts'

export interface RunningService {
  name: string
  health: Health
  metrics: Metrics
  /** Settles when the service has started. Ends the process if it cannot start. */
  started: Promise<void>
  /** Runs the steps of `beforeStop`. */
  leave(): Promise<void>
  underWay(): readonly UnderWay[]
  /** Aborts the signal of the service, and disposes its stack. */
  stop(): Promise<void>
}

interface RunningOptions {
  start: Start
  log: Log
  metrics: Metrics
  direct: DirectCalls
}

export function startService(name: string, { start, log, metrics, direct }: RunningOptions): RunningService {
  const health = new Health(metrics)
  const stopping = new AbortController()
  const stack = new AsyncDisposableStack()
  const leaves: (() => Promise<void>)[] = []
  const underWay: UnderWay[] = []
  const context = {
    log,
    metrics,
    health,
    stack,
    signal: stopping.signal,
    direct,
    beforeStop: (leave: () => Promise<void>) => void leaves.push(leave),
    letFinish: (given: UnderWay) => void underWay.push(given),
  }
  const started = inService(name, () => start(context))
    .catch(async (error: unknown) => {
      if (stopping.signal.aborted) return
      log.fatal({ err: error }, 'could not start')
      await endProcess(1, log)
    })
    .then(() => health.markStarted())
  return {
    name,
    health,
    metrics,
    started,
    async leave() {
      await Promise.all(leaves.map((leave) => leave()))
    },
    underWay: () => underWay,
    async stop() {
      stopping.abort()
      await started
      await stack.disposeAsync()
    },
  }
}

/**
 * Connects the services of one process: each is called directly if another one calls it. Such a service listens only if
 * it has a port of its own.
 */
export function connectDirectly(services: readonly Service[]): (service: Service, hasPort: boolean) => DirectCalls {
  const servers = new Map<string, Server>()
  const names = services.map(({ name }) => name)
  const offered = new Map(names.map((name) => [name, Promise.withResolvers<void>()]))
  return ({ name, calls }, hasPort) => {
    const isOffered = isCalled(name, services)
    const offer = (server: Server) => {
      servers.set(name, server)
      offered.get(name)?.resolve()
    }
    return {
      serverOf: (other) => (names.includes(other) ? () => servers.get(other) : null),
      offer: isOffered ? offer : null,
      callable: Promise.all(calls.map((other) => offered.get(other)?.promise)),
      listens: !isOffered || hasPort,
    }
  }
}

/** A service is not ready before the services of its process that it calls. */
export function joinReadiness(services: readonly Service[], running: readonly RunningService[]): void {
  for (const { name, calls } of services) {
    const caller = running.find((service) => service.name === name)
    for (const called of running.filter((other) => calls.includes(other.name))) {
      caller?.health.readyWhen(called.name, () => called.health.isReady())
    }
  }
}

/** Whether one of the services calls the one with this name. */
export function isCalled(name: string, services: readonly Service[]): boolean {
  return services.some(({ calls }) => calls.includes(name))
}

import type { Server } from 'node:http'
import type { z } from 'zod'
import { type Config, loadConfig } from '../config/config.ts'
import type { processSettings } from '../config/process-settings.ts'
import type { Log } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Health } from './health.ts'
import type { UnderWay } from './limit-stop.ts'

type ProcessShape = typeof processSettings & z.ZodRawShape

export interface RunContext<C> {
  config: C
  log: Log
  metrics: Metrics
  health: Health
  /** Disposed in reverse order on stop. Add a resource last if it must close first. */
  stack: AsyncDisposableStack
  /** Aborts when the service stops, before the stack is disposed. */
  signal: AbortSignal
  direct: DirectCalls
  /** Adds a step that runs on SIGTERM or SIGINT, before `signal` aborts. Work continues meanwhile. */
  beforeStop(leave: () => Promise<void>): void
  /** Registers work that has its own time limit after SIGTERM or SIGINT. */
  letFinish(underWay: UnderWay): void
}

/** Calls between services of one process. */
export interface DirectCalls {
  /** The server of a service of this process, undefined until it has started. Null: the service runs elsewhere. */
  serverOf(service: string): (() => Server | undefined) | null
  /** Null: no service of this process calls this one. */
  offer: ((server: Server) => void) | null
  /** Resolves when each service of this process that this one calls has started to take requests. */
  callable: Promise<unknown>
  /** Whether the service also serves callers of other processes. */
  listens: boolean
}

/** Starts the work and returns. */
export type Start = (context: Omit<RunContext<never>, 'config'>) => Promise<void>

/** What a process can run, alone or with other services. */
export interface Service {
  name: string
  /** Services that this one calls over HTTP. */
  calls: readonly string[]
  /** The names of its settings. */
  settings: readonly string[]
  /** Throws `ConfigError` with all faults. */
  configure(env: Readonly<Record<string, string | undefined>>): Start
}

interface Definition<Shape extends z.ZodRawShape> {
  name: string
  calls?: readonly string[]
  settings: z.ZodObject<Shape>
  /** Starts the work and returns. */
  start(context: RunContext<Config<Shape>>): Promise<void>
}

export function defineService<Shape extends ProcessShape>(definition: Definition<Shape>): Service {
  const { name, calls = [], settings, start } = definition
  return {
    name,
    calls,
    settings: Object.keys(settings.shape),
    configure(env) {
      const config = loadConfig(settings, env)
      return (context) => start({ ...context, config })
    },
  }
}

import { join } from 'node:path'
import type { DataLayout } from '../data-directory/data-layout.ts'
import type { Logs } from '../data-directory/stack-logs.ts'
import { awaitReady } from '../processes/await-ready.ts'
import { type RunningChild, runChild } from '../processes/run-child.ts'
import { startAll } from '../processes/start-all.ts'
import { type Supervised, supervise } from '../processes/supervise.ts'
import type { PlannedProcess } from './plan-processes.ts'
import { serviceEnvironment, type Wiring } from './service-environment.ts'
import { tellWarnings } from './warnings.ts'

type ServicesOptions = {
  options: {
    servicesDir: string
    checkout: string
    quiet: boolean
    out: (line: string) => void
  }
  layout: DataLayout
  logs: Logs
  wiring: Wiring
  onRestart: () => Promise<void>
}

export type RunningService = PlannedProcess & {
  child: Supervised<RunningChild>
  /** Restarts the process with these storage network settings and keeps them. Resolves when the process is ready. */
  changeNetworks(coldTier: Readonly<Record<string, string>>): Promise<void>
}

/** All service processes of a stack. A process that exits is restarted on its ports. Disposal stops all processes. */
export type Services = AsyncDisposable & { running: readonly RunningService[] }

export async function startServices(options: ServicesOptions): Promise<Services> {
  const { processes } = options.wiring
  const running = await startAll(processes.map((planned) => startService(planned, options)))
  return {
    running,
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((service) => service[Symbol.asyncDispose]()))
    },
  }
}

async function startService(
  planned: PlannedProcess,
  services: ServicesOptions,
): Promise<RunningService & AsyncDisposable> {
  const { options, layout, logs, wiring, onRestart } = services
  const { servicesDir, checkout: cwd, quiet, out } = options
  const name = processName(planned)
  const log = logs.writer(name)
  let { coldTier } = wiring
  let launchedWith = coldTier
  const warn = quiet ? () => {} : tellWarnings(name, out)
  function onLine(line: string): void {
    log(line)
    warn(line)
  }
  function launch(): Promise<RunningChild> {
    launchedWith = coldTier
    const env = serviceEnvironment(planned, { ...wiring, coldTier })
    return launchService({ planned, env, servicesDir, cwd, pidsDir: layout.pids, onLine })
  }
  const child = await supervise({ name, launch, onRestart, report: out })
  return {
    ...planned,
    child,
    async changeNetworks(changed) {
      coldTier = changed
      // A process that was already being started has the previous settings.
      do await child.restart()
      while (launchedWith !== changed)
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

type ServiceOptions = {
  planned: PlannedProcess
  env: Record<string, string>
  servicesDir: string
  cwd: string
  pidsDir: string
  onLine: (line: string) => void
}

const readyTimeoutMs = 60_000
const defaultShutdownSeconds = 25

/** Starts one service process and resolves when it reports ready. Rejects with `StartError`. */
async function launchService(options: ServiceOptions): Promise<RunningChild> {
  const { planned, env } = options
  const name = processName(planned)
  const stopSeconds = Number(env.SHUTDOWN_SECONDS || defaultShutdownSeconds) + Number(env.STREAM_DRAIN_SECONDS || 0)
  const child = await runChild({
    command: process.execPath,
    args: [join(options.servicesDir, planned.name, 'src/main.ts')],
    cwd: options.cwd,
    env,
    onLine: options.onLine,
    stopSignal: 'SIGTERM',
    stopGraceMs: (stopSeconds + 2) * 1000,
    deathSignal: 'SIGKILL',
    recordFile: join(options.pidsDir, `${name}.json`),
  })
  await awaitReady(name, child, () => isReady(planned.adminUrl), readyTimeoutMs)
  return child
}

const processName = ({ name, replica }: PlannedProcess) => `${name}-${replica}`

async function isReady(adminUrl: string): Promise<boolean> {
  const response = await fetch(`${adminUrl}/ready`, { signal: AbortSignal.timeout(2_000) })
  await response.body?.cancel()
  return response.status === 200
}

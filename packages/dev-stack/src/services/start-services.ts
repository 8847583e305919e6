import type { DataLayout } from '../data-directory/data-layout.ts'
import type { Logs } from '../data-directory/stack-logs.ts'
import type { RunningChild } from '../processes/run-child.ts'
import { startAll } from '../processes/start-all.ts'
import { type Supervised, supervise } from '../processes/supervise.ts'
import { launchService, processName } from './launch-service.ts'
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
  /** Starts it anew with these settings of the storage networks, for good; resolves when it is ready. */
  changeNetworks(coldTier: Readonly<Record<string, string>>): Promise<void>
}

/** All service processes of a stack, each started again on its ports when it dies; disposing stops them. */
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
      // One that was being started at this moment has the settings of before.
      do await child.restart()
      while (launchedWith !== changed)
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  }
}

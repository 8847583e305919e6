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
    /** What the processes run in. */
    checkout: string
    /** Do not pass on what they warn of. */
    quiet: boolean
    out: (line: string) => void
  }
  layout: DataLayout
  logs: Logs
  wiring: Wiring
  onRestart: () => Promise<void>
}

export type RunningService = PlannedProcess & { child: Supervised<RunningChild> }

/** All service processes of a stack, each started again on its ports when it dies; disposing stops them. */
export type Services = AsyncDisposable & { running: readonly RunningService[] }

/** Resolves when every one of them is ready. */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const { processes } = options.wiring
  const children = await startAll(processes.map((planned) => startService(planned, options)))
  return {
    running: processes.map((planned, index) => ({ ...planned, child: children[index] as Supervised<RunningChild> })),
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map((child) => child[Symbol.asyncDispose]()))
    },
  }
}

function startService(planned: PlannedProcess, services: ServicesOptions): Promise<Supervised<RunningChild>> {
  const { options, layout, logs, wiring, onRestart } = services
  const { servicesDir, checkout: cwd, quiet, out } = options
  const name = processName(planned)
  const log = logs.writer(name)
  const env = serviceEnvironment(planned, wiring)
  const warn = quiet ? () => {} : tellWarnings(name, out)
  function onLine(line: string): void {
    log(line)
    warn(line)
  }
  const launch = () => launchService({ planned, env, servicesDir, cwd, pidsDir: layout.pids, onLine })
  return supervise({ name, launch, onRestart, report: out })
}

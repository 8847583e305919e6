import { join } from 'node:path'
import type { DataLayout } from '../data-directory/data-layout.ts'
import type { Logs } from '../data-directory/stack-logs.ts'
import { awaitReady } from '../processes/await-ready.ts'
import { type RunningChild, runChild } from '../processes/run-child.ts'
import { startAll } from '../processes/start-all.ts'
import { type Supervised, supervise } from '../processes/supervise.ts'
import type { PlannedService } from './plan-processes.ts'
import { processEnvironment, type Wiring } from './service-environment.ts'
import { setUpLinkIn, tellWarnings } from './warnings.ts'

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
  /** Receives the link to the set-up page, which a service logs if the installation has no owner. */
  onSetUpLink: (link: string) => void
}

export type RunningProcess = {
  name: string
  services: readonly PlannedService[]
  child: Supervised<RunningChild>
  /** Restarts the process with these storage network settings and keeps them. Resolves when the process is ready. */
  changeNetworks(coldTier: Readonly<Record<string, string>>): Promise<void>
}

/** All service processes of a stack. A process that exits is restarted on its ports. Disposal stops all processes. */
export type Services = AsyncDisposable & { running: readonly RunningProcess[] }

export async function startServices(options: ServicesOptions): Promise<Services> {
  const processes = Map.groupBy(options.wiring.services, ({ process }) => process)
  const running = await startAll([...processes].map(([name, services]) => startProcess(name, services, options)))
  return {
    running,
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((process) => process[Symbol.asyncDispose]()))
    },
  }
}

async function startProcess(
  name: string,
  services: readonly PlannedService[],
  { options, layout, logs, wiring, onRestart, onSetUpLink }: ServicesOptions,
): Promise<RunningProcess & AsyncDisposable> {
  const { servicesDir, checkout: cwd, quiet, out } = options
  const log = logs.writer(name)
  let { coldTier } = wiring
  let launchedWith = coldTier
  const warn = quiet ? () => {} : tellWarnings(name, out)
  function onLine(line: string): void {
    log(line)
    const link = setUpLinkIn(line)
    if (link === undefined) warn(line)
    else onSetUpLink(link)
  }
  function launch(): Promise<RunningChild> {
    launchedWith = coldTier
    const env = processEnvironment(services, { ...wiring, coldTier })
    return launchProcess({ name, services, env, servicesDir, cwd, pidsDir: layout.pids, onLine })
  }
  const child = await supervise({ name, launch, onRestart, report: out })
  return {
    name,
    services,
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

type ProcessOptions = {
  name: string
  services: readonly PlannedService[]
  env: Record<string, string>
  servicesDir: string
  cwd: string
  pidsDir: string
  onLine: (line: string) => void
}

const readyTimeoutMs = 60_000
const defaultShutdownSeconds = 25

/** Starts a process and resolves when it reports ready. Rejects with `StartError`. */
async function launchProcess(options: ProcessOptions): Promise<RunningChild> {
  const { name, services, env } = options
  const [first] = services
  if (first === undefined) throw new Error(`${name} has no services`)
  const program = services.length > 1 ? 'serve' : first.name
  const stopSeconds = Number(env.SHUTDOWN_SECONDS || defaultShutdownSeconds) + Number(env.STREAM_DRAIN_SECONDS || 0)
  const child = await runChild({
    command: process.execPath,
    args: [join(options.servicesDir, program, 'src/main.ts')],
    cwd: options.cwd,
    env,
    onLine: options.onLine,
    stopSignal: 'SIGTERM',
    stopGraceMs: (stopSeconds + 2) * 1000,
    deathSignal: 'SIGKILL',
    recordFile: join(options.pidsDir, `${name}.json`),
  })
  await awaitReady(name, child, () => isReady(first.adminUrl), readyTimeoutMs)
  return child
}

async function isReady(adminUrl: string): Promise<boolean> {
  const response = await fetch(`${adminUrl}/ready`, { signal: AbortSignal.timeout(2_000) })
  await response.body?.cancel()
  return response.status === 200
}

import { join } from 'node:path'
import { awaitReady } from '../processes/await-ready.ts'
import { type RunningChild, runChild } from '../processes/run-child.ts'
import type { PlannedProcess } from './plan-processes.ts'

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

/** Starts one service process and resolves when it says that it is ready. Rejects with `StartError`. */
export async function launchService(options: ServiceOptions): Promise<RunningChild> {
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

export const processName = ({ name, replica }: PlannedProcess) => `${name}-${replica}`

async function isReady(adminUrl: string): Promise<boolean> {
  const response = await fetch(`${adminUrl}/ready`, { signal: AbortSignal.timeout(2_000) })
  await response.body?.cancel()
  return response.status === 200
}

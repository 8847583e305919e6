import { join } from 'node:path'
import type { DataLayout } from '../data-directory/data-layout.ts'
import type { Logs } from '../data-directory/stack-logs.ts'
import { bareEnvironment, type Environment } from '../processes/host-environment.ts'
import { runChild } from '../processes/run-child.ts'

export type JobOptions = {
  servicesDir: string
  cwd: string
  layout: DataLayout
  logs: Logs
  host: Environment
}

export async function runJob(
  name: string,
  script: string,
  env: Record<string, string>,
  { servicesDir, cwd, layout, logs, host }: JobOptions,
  args: readonly string[] = [],
): Promise<void> {
  const child = await runChild({
    command: process.execPath,
    args: [join(servicesDir, script), ...args],
    cwd,
    env: { ...bareEnvironment(host), ...env },
    onLine: logs.writer(name),
    stopSignal: 'SIGTERM',
    stopGraceMs: 5_000,
    deathSignal: 'SIGKILL',
    recordFile: join(layout.pids, `${name}.json`),
  })
  const { code, signal } = await child.exited
  await child.stop() // removes the process record
  if (code === 0) return
  throw new Error(
    [`${name} exited with ${signal ?? `code ${code}`}. Its last output:`, ...child.recentLines()].join('\n  '),
  )
}

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onAPort } from '../ports/on-a-port.ts'
import { awaitReady } from '../processes/await-ready.ts'
import type { Environment } from '../processes/host-environment.ts'
import { endStray } from '../processes/process-record.ts'
import { type ChildOptions, type RunningChild, runChild } from '../processes/run-child.ts'

export interface ServerOptions {
  /** Data directory of the server; created when missing. One running server per directory. */
  dataDir: string
  /** Defaults to a free port. */
  port?: number | undefined
  /** Receives every line that the server prints. */
  log?: ((line: string) => void) | undefined
  /** Source of program settings, PATH, and TIDEPORT_CACHE_DIR. Defaults to this process's environment. */
  env?: Environment | undefined
}

export interface ServerProcess extends Pick<ChildOptions, 'command' | 'args' | 'env' | 'cwd' | 'user' | 'stopGraceMs'> {
  name: string
  /** Defaults to SIGTERM. */
  stopSignal?: NodeJS.Signals
  /** An error means that the server is not ready yet. */
  isReady: () => Promise<boolean>
  readyTimeoutMs: number
}

export type RunningServer = RunningChild & { readonly port: number }

/** Creates the directory, and stops a server on it that a killed process left behind. */
export async function claimDataDir({ dataDir }: ServerOptions, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await endStray(recordFileIn(dataDir), signal)
}

/** Starts a server on a claimed directory. Rejects with `StartError` if the server does not become ready. */
export async function launchServer(
  options: ServerOptions,
  processOn: (port: number) => ServerProcess | Promise<ServerProcess>,
): Promise<RunningServer> {
  return onAPort(options.port, async (port) => {
    const { name, isReady, readyTimeoutMs, stopSignal = 'SIGTERM', ...program } = await processOn(port)
    const recordFile = recordFileIn(options.dataDir)
    const child = await runChild({ ...program, onLine: options.log, stopSignal, deathSignal: stopSignal, recordFile })
    await awaitReady(name, child, isReady, readyTimeoutMs)
    return { ...child, port }
  })
}

export async function isAnswered(url: string, init: RequestInit = {}): Promise<boolean> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(2_000) })
  await response.body?.cancel()
  return response.ok
}

const recordFileIn = (dataDir: string) => join(dataDir, 'process.json')

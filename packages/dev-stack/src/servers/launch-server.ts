import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { onAPort } from '../ports/on-a-port.ts'
import { awaitReady } from '../processes/await-ready.ts'
import type { Environment } from '../processes/host-environment.ts'
import { endStray } from '../processes/process-record.ts'
import { type ChildOptions, type RunningChild, runChild } from '../processes/run-child.ts'

export interface ServerOptions {
  /** Where the server keeps its data; created when missing. One running server per directory. */
  dataDir: string
  /** A free one when missing. */
  port?: number | undefined
  /** Gets every line the server prints. */
  log?: ((line: string) => void) | undefined
  /** Where the settings of programs, PATH, and TIDEPORT_CACHE_DIR are read; this process's environment when missing. */
  env?: Environment | undefined
}

export interface ServerProcess extends Pick<ChildOptions, 'command' | 'args' | 'env' | 'cwd' | 'user' | 'stopGraceMs'> {
  name: string
  /** SIGTERM when missing. */
  stopSignal?: NodeJS.Signals
  /** May throw, which means not yet. */
  isReady: () => Promise<boolean>
  readyTimeoutMs: number
}

export type RunningServer = RunningChild & { readonly port: number }

/** Creates the directory, and ends a server that a killed process left behind on it. */
export async function claimDataDir({ dataDir }: ServerOptions, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await endStray(recordFileIn(dataDir), signal)
}

/** Starts a server on a directory that was claimed. Rejects with `StartError` when the server does not become ready. */
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

import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exists } from '../file-system/exists.ts'
import { writeAtomically } from '../file-system/write-atomically.ts'
import { onAPort } from '../ports/on-a-port.ts'
import { awaitReady } from '../processes/await-ready.ts'
import { bareEnvironment, type Environment } from '../processes/host-environment.ts'
import { endStray } from '../processes/process-record.ts'
import { type RunningChild, runChild } from '../processes/run-child.ts'

const PROGRAM = fileURLToPath(new URL('../../../walrus-devnet/src/main.ts', import.meta.url))
/** Five seconds of the processor for its id. */
const BLOB_MAX_BYTES = 100 * 1024 * 1024

type DevnetOptions = {
  /** Where it keeps blobs and epochs; made when missing. One running devnet per directory. */
  dataDir: string
  /** A free one when missing. */
  port?: number | undefined
  log?: ((line: string) => void) | undefined
  env: Environment
}

/** A running Walrus of one process on 127.0.0.1. */
export type WalrusDevnet = RunningChild & {
  readonly port: number
  /** Of publisher and aggregator: `http://127.0.0.1:<port>` */
  readonly url: string
  /** Secret of the tokens that it wants. */
  readonly token: string
  readonly maxBlobBytes: number
}

/**
 * Starts a Walrus devnet on `dataDir` and resolves when it answers. One that a killed process left behind on the same
 * directory is ended first. Rejects with `StartError` when it does not come up.
 */
export async function launchWalrusDevnet({ dataDir, port, log, env }: DevnetOptions): Promise<WalrusDevnet> {
  const [recordFile, secretFile] = [join(dataDir, 'process.json'), join(dataDir, 'jwt-secret')]
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await endStray(recordFile, 'SIGTERM')
  if (!(await exists(secretFile))) await writeAtomically(secretFile, `0x${randomBytes(32).toString('hex')}\n`)
  const token = (await readFile(secretFile, 'utf8')).trim()
  return onAPort(port, async (chosen) => {
    const child = await runChild({
      command: process.execPath,
      args: [
        ...[PROGRAM, '--data', join(dataDir, 'data'), '--port', `${chosen}`, '--jwt-secret-file', secretFile],
        ...['--max-body-bytes', `${BLOB_MAX_BYTES}`],
      ],
      env: bareEnvironment(env),
      onLine: log,
      stopSignal: 'SIGTERM',
      stopGraceMs: 20_000,
      deathSignal: 'SIGTERM',
      recordFile,
    })
    const url = `http://127.0.0.1:${chosen}`
    await awaitReady('the Walrus devnet', child, () => answers(url), 60_000)
    return { ...child, port: chosen, url, token, maxBlobBytes: BLOB_MAX_BYTES }
  })
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(`${url}/status`, { signal: AbortSignal.timeout(2_000) })
  await response.body?.cancel()
  return response.ok
}

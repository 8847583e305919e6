import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exists } from '../file-system/exists.ts'
import { writeAtomically } from '../file-system/write-atomically.ts'
import { bareEnvironment, hostEnvironment } from '../processes/host-environment.ts'
import { claimDataDir, isAnswered, launchServer, type RunningServer, type ServerOptions } from './launch-server.ts'

const PROGRAM = fileURLToPath(new URL('../../../walrus-devnet/src/main.ts', import.meta.url))
/** Five seconds of the processor for its id. */
const BLOB_MAX_BYTES = 100 * 1024 * 1024

export type WalrusDevnet = RunningServer & {
  readonly url: string
  readonly token: string
  readonly maxBlobBytes: number
}

/** Starts a Walrus devnet on `dataDir`, which keeps blobs and epochs, and resolves when it responds. */
export async function launchWalrusDevnet(options: ServerOptions): Promise<WalrusDevnet> {
  const secretFile = join(options.dataDir, 'jwt-secret')
  await claimDataDir(options)
  if (!(await exists(secretFile))) await writeAtomically(secretFile, `0x${randomBytes(32).toString('hex')}\n`)
  const token = (await readFile(secretFile, 'utf8')).trim()
  const server = await launchServer(options, (port) => ({
    name: 'the Walrus devnet',
    command: process.execPath,
    args: [
      ...[PROGRAM, '--data', join(options.dataDir, 'data'), '--port', `${port}`, '--jwt-secret-file', secretFile],
      ...['--max-body-bytes', `${BLOB_MAX_BYTES}`],
    ],
    env: bareEnvironment(options.env ?? hostEnvironment()),
    isReady: () => isAnswered(`${urlOn(port)}/status`),
    readyTimeoutMs: 60_000,
    stopGraceMs: 20_000,
  }))
  return { ...server, url: urlOn(server.port), token, maxBlobBytes: BLOB_MAX_BYTES }
}

const urlOn = (port: number) => `http://127.0.0.1:${port}`

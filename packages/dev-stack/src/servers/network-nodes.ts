import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exists } from '../file-system/exists.ts'
import { writeAtomically } from '../file-system/write-atomically.ts'
import { bareEnvironment, type Environment, hostEnvironment } from '../processes/host-environment.ts'
import { type Supervised, supervise } from '../processes/supervise.ts'
import { type KuboServer, launchKubo } from './launch-kubo.ts'
import { claimDataDir, isAnswered, launchServer, type RunningServer, type ServerOptions } from './launch-server.ts'

export type NodeKind = 'ipfs' | 'walrus'

type NodesOptions = {
  kindOf: (name: string) => NodeKind
  dirOf: (name: string) => string
  durable: boolean
  env: Environment
  logOf: (name: string) => (line: string) => void
  report: (line: string) => void
  onRestart: () => Promise<void>
}

export type NetworkNode = (KuboServer & { kind: 'ipfs' }) | (WalrusDevnet & { kind: 'walrus' })

/**
 * The IPFS nodes and Walrus devnets of a stack, by network name. A node that exits is restarted on its port.
 */
export type NetworkNodes = AsyncDisposable & {
  /** Starts nodes that do not run yet. The others continue. */
  start(names: readonly string[]): Promise<void>
  current(): Record<string, NetworkNode>
}

export function keepNetworkNodes({ kindOf, dirOf, durable, env, logOf, ...told }: NodesOptions): NetworkNodes {
  const nodes = new Map<string, Supervised<NetworkNode>>()
  async function launch(name: string, previous: NetworkNode | undefined): Promise<NetworkNode> {
    const options = { dataDir: dirOf(name), port: previous?.port, env, log: logOf(name) }
    if (kindOf(name) === 'walrus') return { ...(await launchWalrusDevnet(options)), kind: 'walrus' }
    return { ...(await launchKubo({ ...options, durable })), kind: 'ipfs' }
  }
  return {
    async start(names) {
      for (const name of names.filter((candidate) => !nodes.has(candidate))) {
        nodes.set(name, await supervise({ name, launch: (previous) => launch(name, previous), ...told }))
      }
    },
    current: () => Object.fromEntries([...nodes].map(([name, node]) => [name, node.current()])),
    async [Symbol.asyncDispose]() {
      await Promise.all([...nodes.values()].map((node) => node[Symbol.asyncDispose]()))
    },
  }
}

const PROGRAM = fileURLToPath(new URL('../../../walrus-devnet/src/main.ts', import.meta.url))
/** Computing the ID of a blob of this size takes five seconds of processor time. */
const BLOB_MAX_BYTES = 100 * 1024 * 1024

type WalrusDevnet = RunningServer & {
  readonly url: string
  readonly token: string
  readonly maxBlobBytes: number
}

/** Starts a Walrus devnet, with blobs and epochs in `dataDir`. Resolves when it responds. */
async function launchWalrusDevnet(options: ServerOptions): Promise<WalrusDevnet> {
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

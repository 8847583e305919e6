import type { Environment } from '../processes/host-environment.ts'
import { type Supervised, supervise } from '../processes/supervise.ts'
import { type KuboServer, launchKubo } from './launch-kubo.ts'
import { launchWalrusDevnet, type WalrusDevnet } from './launch-walrus-devnet.ts'

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

/** The IPFS nodes and Walrus devnets of a stack by the names of their networks, each started again on its port when it dies. */
export type NetworkNodes = AsyncDisposable & {
  /** Starts those that do not run yet; the others go on. */
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

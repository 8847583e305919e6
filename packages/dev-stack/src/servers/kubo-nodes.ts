import type { Environment } from '../processes/host-environment.ts'
import { type Supervised, supervise } from '../processes/supervise.ts'
import { type KuboServer, launchKubo } from './launch-kubo.ts'

type NodesOptions = {
  /** Where the node of a network of this name keeps its data. */
  dirOf: (name: string) => string
  durable: boolean
  env: Environment
  logOf: (name: string) => (line: string) => void
  report: (line: string) => void
  onRestart: () => Promise<void>
}

/** The IPFS nodes of a stack by the names of their networks, each started again on its port when it dies. */
export type KuboNodes = AsyncDisposable & {
  /** Starts those that do not run yet; the others go on. */
  start(names: readonly string[]): Promise<void>
  current(): Record<string, KuboServer>
}

export function keepKuboNodes({ dirOf, durable, env, logOf, report, onRestart }: NodesOptions): KuboNodes {
  const nodes = new Map<string, Supervised<KuboServer>>()
  const launch = (name: string, previous: KuboServer | undefined) =>
    launchKubo({ dataDir: dirOf(name), port: previous?.port, durable, env, log: logOf(name) })
  return {
    async start(names) {
      for (const name of names.filter((candidate) => !nodes.has(candidate))) {
        nodes.set(name, await supervise({ name, launch: (previous) => launch(name, previous), onRestart, report }))
      }
    },
    current: () => Object.fromEntries([...nodes].map(([name, node]) => [name, node.current()])),
    async [Symbol.asyncDispose]() {
      await Promise.all([...nodes.values()].map((node) => node[Symbol.asyncDispose]()))
    },
  }
}

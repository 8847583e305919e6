import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dataLayout } from '@tideport/dev-stack/data-directory/data-layout'
import type { StackFile, StackProcess } from '@tideport/dev-stack/data-directory/stack-file'
import { removeCluster } from '@tideport/dev-stack/servers/postgres/cluster-home'
import type { StackOptions } from '@tideport/dev-stack/stack/stack-options'
import { cpuOfTree } from './process-tree.ts'

const here = fileURLToPath(new URL('../../..', import.meta.url))
const workers: readonly StackProcess['name'][] = ['sync', 'eviction', 'webhooks']

export interface SystemOptions extends Pick<StackOptions, 'env' | 'together' | 'replicas' | 'networks'> {
  profileDir?: string | undefined
  /** A checkout to run instead of this one, with installed modules. */
  tree?: string
  /** Runs before the stack starts, with its data directory. */
  prepare?: (dataDir: string) => Promise<void>
}

/** Microseconds of CPU by process name, in total for all replicas. A shared process has the name of its first service. */
export type CpuByProcess = Map<string, number>

export async function startSystem({ profileDir, prepare, tree = here, ...options }: SystemOptions = {}) {
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  starting.defer(() => removeCluster(dataLayout(dataDir).postgres))
  await prepare?.(dataDir)
  const env = { LOG_LEVEL: 'warn', ...options.env, ...(profileDir && (await profiling(profileDir))) }
  const main = join(tree, 'bench/src/system/stack-main.ts')
  const child = fork(main, [JSON.stringify({ together: [], ...options, dataDir, env })])
  const exited = once(child, 'exit')
  starting.defer(async () => {
    if (child.connected) child.disconnect()
    await exited
  })
  const failed = exited.then(() => Promise.reject(new Error('The stack did not start')))
  const [described] = (await Promise.race([once(child, 'message'), failed])) as [StackFile]
  failed.catch(() => {})
  const { processes } = described
  const started = starting.move()

  function signalAll(names: readonly StackProcess['name'][], signal: NodeJS.Signals): void {
    for (const { name, pid } of processes) if (names.includes(name)) process.kill(pid, signal)
  }

  return {
    ...described,
    gatewayUrl: described.gatewayUrls[0] as string,
    stackPid: child.pid as number,
    pause: (names = workers) => signalAll(names, 'SIGSTOP'),
    resume: (names = workers) => signalAll(names, 'SIGCONT'),
    /** The CPU that each process has used since its start. */
    async cpu(): Promise<CpuByProcess> {
      const byProcess: CpuByProcess = new Map()
      const names = new Map(processes.toReversed().map(({ name, pid }) => [pid, name]))
      for (const [pid, name] of names) byProcess.set(name, (byProcess.get(name) ?? 0) + (await cpuOfTree(pid)))
      return byProcess
    },
    async profiled<T>(work: () => Promise<T>): Promise<T> {
      const services = processes.flatMap(({ name }) => (['postgres', 'nats', 's3'].includes(name) ? [] : [name]))
      if (profileDir) signalAll(services, 'SIGUSR2')
      try {
        return await work()
      } finally {
        if (profileDir) {
          signalAll(services, 'SIGUSR2')
          console.log(`CPU profiles are in ${profileDir}`)
        }
      }
    },
    async [Symbol.asyncDispose]() {
      signalAll(workers, 'SIGCONT')
      await started.disposeAsync()
    },
  }
}

export type System = Awaited<ReturnType<typeof startSystem>>

async function profiling(dir: string): Promise<Record<string, string>> {
  await mkdir(dir, { recursive: true })
  return { NODE_OPTIONS: `--import ${new URL('profile.ts', import.meta.url)}`, BENCH_PROFILE_DIR: dir }
}

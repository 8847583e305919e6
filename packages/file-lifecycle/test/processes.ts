import { jetstreamManager } from '@nats-io/jetstream'
import { streams } from '@tideport/contracts/internal/streams'
import { createFailpoints } from '@tideport/testing/failpoints'
import { startNats } from '@tideport/testing/nats'
import { s3Environment } from '@tideport/testing/s3'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { networksEnvironment } from './networks-environment.ts'
import type { WorkerBundle } from './worker-bundle.ts'

type Networks = Parameters<typeof networksEnvironment>[0]

interface Options {
  /** The address of the store for the processes. */
  store?: WorkerBundle['bucket']
  env?: Record<string, string>
}

/** Adds a broker and failpoints to a bundle, for processes of the worker whose `main.ts` is given. */
export async function withProcesses<T extends WorkerBundle>(main: URL, t: T, { store = t.bucket, env }: Options = {}) {
  const stack = new AsyncDisposableStack()
  stack.use(t)
  const nats = stack.use(await startNats())
  const failpoints = stack.use(await createFailpoints())
  const surroundings = {
    SERVICE_ENV: 'development',
    HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    FAILPOINT_DIR: failpoints.directory,
    DATABASE_URL: t.database.url,
    NATS_URL: nats.url,
    DISPATCH_INTERVAL_SECONDS: '0.1',
    ...s3Environment(store),
    ...env,
  }
  const manager = async () => (await jetstreamManager(await nats.connect())).streams
  const { startOver } = t
  let running = 0
  return Object.assign(t, {
    nats,
    failpoints,
    streams: manager,
    /** A process, ready or killed by a failpoint. All networks are required by default. Killed on disposal. */
    async start(more: Record<string, string> = {}, networks: Networks = t.dirs) {
      // A single process would wait for leases of killed processes.
      if (running === 0) await t.database.sql('update turn set held_until = now()')
      running += 1
      const worker = spawnProgram(main, { ...surroundings, ...networksEnvironment(networks), ...more })
      void worker.ended.then(() => (running -= 1))
      // A failpoint may kill the process before it is ready.
      const end = await Promise.race([worker.ready(), worker.ended])
      if (end && end.signal !== 'SIGKILL') throw new Error(`The worker ended early: ${worker.printed()}`)
      return worker
    },
    async startOver() {
      await startOver()
      for (const { name } of Object.values(streams)) await (await manager()).delete(name).catch(() => {})
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  })
}

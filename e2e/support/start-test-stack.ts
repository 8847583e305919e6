import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startStack } from '@tideport/dev-stack/stack/start-stack'
import { bundleOf } from '@tideport/testing/programs/bundle-of'
import { assertNoWarning } from '@tideport/testing/spawn-program'

type StackOptions = NonNullable<Parameters<typeof startStack>[0]>

/** With these settings, a file becomes cold within seconds. */
export const quickLife = {
  HOT_RETENTION_SECONDS: '1',
  DOWNLOAD_URL_SECONDS: '4',
  CLOCK_SKEW_SECONDS: '0', // one machine, one clock
  DISPATCH_INTERVAL_SECONDS: '1',
  LOG_LEVEL: 'warn',
}

type TestStackOptions = Pick<
  StackOptions,
  'port' | 'networks' | 'together' | 'replicas' | 'env' | 'pooler' | 'console'
> & {
  /** Prepares the data directory before the system starts. The result is disposed of after the system has stopped. */
  prepare?: (dataDir: string) => Promise<AsyncDisposable | undefined>
}

/** Starts a separate system, with `env` over `quickLife`. Disposal fails if a process printed a Node warning. */
export async function startTestStack({ env, prepare = async () => undefined, ...options }: TestStackOptions = {}) {
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tideport-e2e-'))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  starting.use(await prepare(dataDir))
  starting.defer(() => assertNoWarnings(join(dataDir, 'logs')))
  const lines: string[] = []
  const stack = await startStack({
    dataDir,
    port: 0,
    durable: false,
    servicesDir: bundleOf(fileURLToPath(new URL('../../services', import.meta.url))),
    ...options,
    env: { ...quickLife, ...env },
    out: (line) => lines.push(line),
  }).catch((cause: Error) => {
    throw new Error(`The stack did not start: ${cause.message}\n${lines.join('\n')}`, { cause })
  })
  starting.use(stack)
  const started = starting.move()
  return {
    dataDir,
    describe: () => stack.describe(),
    changeNetworks: (change: Parameters<typeof stack.changeNetworks>[0]) => stack.changeNetworks(change),
    said: lines as readonly string[],
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** All processes write their logs to this directory. */
async function assertNoWarnings(directory: string): Promise<void> {
  for (const name of await readdir(directory)) assertNoWarning(await readFile(join(directory, name), 'utf8'), name)
}

/** The content of `stack.json`. */
export type StackFile = ReturnType<Awaited<ReturnType<typeof startStack>>['describe']>

import { spawn } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readStackFile, type StackFile } from '@tideport/dev-stack/data-directory/stack-file'
import type { NetworkChange } from '@tideport/dev-stack/stack/change-networks'
import { startStack } from '@tideport/dev-stack/stack/start-stack'

/** Disposal stops the stack and removes its data if both belong to the demo. */
export interface DemoStack extends AsyncDisposable {
  gatewayUrl: string
  /** By network name. */
  networkDirs: Readonly<Record<string, string>>
  /** Undefined when the stack belongs to another process. */
  changeNetworks?: (change: NetworkChange) => Promise<void>
  origin: 'already running' | 'own' | 'own, kept'
}

/** Short intervals, so that every state is visible. */
const demoSettings = {
  HOT_RETENTION_SECONDS: '3',
  DOWNLOAD_URL_SECONDS: '5',
  CLOCK_SKEW_SECONDS: '1',
  SERVICE_ENV: 'development',
}
/** Finds a lost copy soon, moves many files fast, and replaces processes without a lost request. */
const networksSettings = {
  COPY_CHECK_SECONDS: '5',
  EVICTIONS_PER_MINUTE_MAX: '6000',
  CONNECTION_DRAIN_SECONDS: '1',
}
const DETACHED_WAIT_MS = 10 * 60_000

export interface DemoStackOptions {
  /** The data folder of a running stack to use, and the data folder of the demo's own stack. */
  dataDirs: { running: string; own: string }
  keep: boolean
  /** Names of the storage networks. With names, the demo always starts its own stack; without, one network is used. */
  networks: readonly string[]
  /** Overrides the demo's settings. */
  env: NodeJS.ProcessEnv
  signal: AbortSignal
  tell: (line: string) => void
}

export async function findOrStartStack(options: DemoStackOptions): Promise<DemoStack> {
  const { running, own } = options.dataDirs
  const found = options.networks.length > 0 ? undefined : ((await readStackFile(running)) ?? (await readStackFile(own)))
  if (found) return { ...addressesOf(found), origin: 'already running', async [Symbol.asyncDispose]() {} }
  return options.keep ? await startDetached(options) : await startOwn(options)
}

async function startOwn({ dataDirs, networks, env, signal, tell }: DemoStackOptions): Promise<DemoStack> {
  const stack = await startStack({
    port: 0,
    dataDir: dataDirs.own,
    fresh: true,
    networks,
    // No request fails while the processes with networks are replaced: each has a process, and files has two.
    ...(networks.length > 1 && { together: ['gateway', 'auth', 'webhooks'], replicas: { files: 2 } }),
    quiet: true,
    env: settingsOf(networks, env),
    out: tell,
    signal,
  })
  return {
    ...addressesOf(stack.describe()),
    changeNetworks: (change) => stack.changeNetworks(change),
    origin: 'own',
    async [Symbol.asyncDispose]() {
      await stack.stop()
      await rm(dataDirs.own, { recursive: true, force: true })
    },
  }
}

/** A stack that outlives the demo is a background process: `npm start`. */
async function startDetached({ dataDirs, networks, env, signal, tell }: DemoStackOptions): Promise<DemoStack> {
  const main = fileURLToPath(import.meta.resolve('@tideport/dev-stack/main'))
  const logFile = `${dataDirs.own}.log`
  await rm(dataDirs.own, { recursive: true, force: true })
  await using log = await open(logFile, 'w')
  const args = [main, '--port', '0', '--data', dataDirs.own, '--quiet']
  if (networks.length > 0) args.push('--networks', networks.join())
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: { ...env, ...settingsOf(networks, env) },
  })
  child.unref()
  tell(`Starting a stack in the background; its log is ${logFile}`)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DETACHED_WAIT_MS)])
  for (;;) {
    const started = await readStackFile(dataDirs.own)
    if (started) return { ...addressesOf(started), origin: 'own, kept', async [Symbol.asyncDispose]() {} }
    if (child.exitCode !== null || deadline.aborted) throw new Error(`The stack did not start. See ${logFile}.`)
    await delay(200)
  }
}

function settingsOf(networks: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> {
  const own = { ...demoSettings, ...(networks.length > 0 ? networksSettings : {}) }
  return Object.fromEntries(Object.entries(own).map(([name, value]) => [name, env[name] || value]))
}

function addressesOf({ gatewayUrls, networkDirs }: StackFile): Pick<DemoStack, 'gatewayUrl' | 'networkDirs'> {
  const [gatewayUrl] = gatewayUrls
  if (!gatewayUrl) throw new Error('The stack has no gateway')
  return { gatewayUrl, networkDirs }
}

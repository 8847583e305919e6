import { spawn } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readStackFile, type StackFile } from '@tideport/dev-stack/data-directory/stack-file'
import type { NetworkChange } from '@tideport/dev-stack/stack/change-networks'
import { startStack } from '@tideport/dev-stack/stack/start-stack'

/** The stack that the demo runs on. Disposing it stops it and removes its data when both are the demo's own. */
export interface DemoStack extends AsyncDisposable {
  gatewayUrl: string
  /** The directories of its storage networks, by name. */
  networkDirs: Readonly<Record<string, string>>
  /** Undefined where that is not this process's to do. */
  changeNetworks?: (change: NetworkChange) => Promise<void>
  origin: 'ran already' | 'own' | 'own, kept'
}

/** Short times, so that every state can be watched. */
const demoSettings = {
  HOT_RETENTION_SECONDS: '3',
  DOWNLOAD_URL_SECONDS: '5',
  CLOCK_SKEW_SECONDS: '1',
  SERVICE_ENV: 'development',
}
/**
 * With several networks a copy that is lost is to be found while one watches, many files change networks, and processes
 * are replaced without a request lost.
 */
const networksSettings = {
  COPY_CHECK_SECONDS: '5',
  EVICTIONS_PER_MINUTE_MAX: '6000',
  CONNECTION_DRAIN_SECONDS: '1',
}
const DETACHED_WAIT_MS = 10 * 60_000

export interface DemoStackOptions {
  /** Where to look for a stack that runs already, and where else the demo's own keeps its data. */
  dataDirs: { running: string; own: string }
  keep: boolean
  /** Names of the storage networks. With them the stack is always one of the demo's own; none: it has one. */
  networks: readonly string[]
  /** The caller's settings; where they name one of the demo's own, they win. */
  env: NodeJS.ProcessEnv
  signal: AbortSignal
  tell: (line: string) => void
}

/** Takes the stack that runs, else starts one of the demo's own. */
export async function findOrStartStack(options: DemoStackOptions): Promise<DemoStack> {
  const { running, own } = options.dataDirs
  const found = options.networks.length > 0 ? undefined : ((await readStackFile(running)) ?? (await readStackFile(own)))
  if (found) return { ...addressesOf(found), origin: 'ran already', async [Symbol.asyncDispose]() {} }
  return options.keep ? await startDetached(options) : await startOwn(options)
}

async function startOwn({ dataDirs, networks, env, signal, tell }: DemoStackOptions): Promise<DemoStack> {
  const stack = await startStack({
    port: 0,
    dataDir: dataDirs.own,
    fresh: true,
    networks,
    // While one is replaced the other one answers.
    replicas: networks.length > 1 ? { files: 2 } : {},
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

/** A stack that outlives the demo is a process of its own: `npm start`, in the background. */
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
  tell(`starting a stack that stays; it writes to ${logFile}`)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DETACHED_WAIT_MS)])
  for (;;) {
    const started = await readStackFile(dataDirs.own)
    if (started) return { ...addressesOf(started), origin: 'own, kept', async [Symbol.asyncDispose]() {} }
    if (child.exitCode !== null || deadline.aborted) throw new Error(`The stack did not start; ${logFile} tells why`)
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

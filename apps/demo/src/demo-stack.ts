import { spawn } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readStackFile } from '@tideport/dev-stack/data-directory/stack-file'
import { startStack } from '@tideport/dev-stack/stack/start-stack'

/** The stack that the demo runs on. Disposing it stops it and removes its data when both are the demo's own. */
export interface DemoStack extends AsyncDisposable {
  gatewayUrl: string
  origin: 'ran already' | 'own' | 'own, kept'
}

/** Short times, so that every state can be watched. */
const demoSettings = {
  HOT_RETENTION_SECONDS: '3',
  DOWNLOAD_URL_SECONDS: '5',
  CLOCK_SKEW_SECONDS: '1',
  SERVICE_ENV: 'development',
}
const DETACHED_PATIENCE_MS = 10 * 60_000

export interface DemoStackOptions {
  /** Where to look for a stack that runs already, and where else the demo's own keeps its data. */
  dataDirs: { running: string; own: string }
  keep: boolean
  /** The caller's settings; where they name one of the demo's own, they win. */
  env: NodeJS.ProcessEnv
  signal: AbortSignal
  tell: (line: string) => void
}

/** Takes the stack that runs, else starts one of the demo's own. */
export async function findOrStartStack(options: DemoStackOptions): Promise<DemoStack> {
  const { running, own } = options.dataDirs
  const found = (await readStackFile(running)) ?? (await readStackFile(own))
  if (found) return { gatewayUrl: gatewayOf(found), origin: 'ran already', async [Symbol.asyncDispose]() {} }
  return options.keep ? await startDetached(options) : await startOwn(options)
}

async function startOwn({ dataDirs, env, signal, tell }: DemoStackOptions): Promise<DemoStack> {
  const stack = await startStack({
    port: 0,
    dataDir: dataDirs.own,
    fresh: true,
    quiet: true,
    env: { ...demoSettings, ...chosen(env) },
    out: tell,
    signal,
  })
  return {
    gatewayUrl: gatewayOf(stack.describe()),
    origin: 'own',
    async [Symbol.asyncDispose]() {
      await stack.stop()
      await rm(dataDirs.own, { recursive: true, force: true })
    },
  }
}

/** A stack that outlives the demo is a process of its own: `npm start`, in the background. */
async function startDetached({ dataDirs, env, signal, tell }: DemoStackOptions): Promise<DemoStack> {
  const main = fileURLToPath(import.meta.resolve('@tideport/dev-stack/main'))
  const logFile = `${dataDirs.own}.log`
  await rm(dataDirs.own, { recursive: true, force: true })
  await using log = await open(logFile, 'w')
  const args = [main, '--port', '0', '--data', dataDirs.own, '--quiet']
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: { ...env, ...demoSettings, ...chosen(env) },
  })
  child.unref()
  tell(`starting a stack that stays; it writes to ${logFile}`)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DETACHED_PATIENCE_MS)])
  for (;;) {
    const started = await readStackFile(dataDirs.own)
    if (started) return { gatewayUrl: gatewayOf(started), origin: 'own, kept', async [Symbol.asyncDispose]() {} }
    if (child.exitCode !== null || deadline.aborted) throw new Error(`The stack did not start; ${logFile} tells why`)
    await delay(200)
  }
}

function chosen(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = Object.keys(demoSettings)
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])))
}

function gatewayOf({ gatewayUrls }: { gatewayUrls: string[] }): string {
  const [first] = gatewayUrls
  if (!first) throw new Error('The stack has no gateway')
  return first
}

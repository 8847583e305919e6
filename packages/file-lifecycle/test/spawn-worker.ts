import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { waitFor } from '@tideport/testing/wait-for'

type Line = Record<string, unknown> & { msg: string }

export interface WorkerSurroundings {
  databaseUrl: string
  natsUrl: string
  /** Directories of embedded networks by their names, and which of them are left. */
  networks: Record<string, { dir: string; role?: 'required' | 'leaving' }>
  failpointDir: string
  store: { endpoint: string; region: string; bucket: string; accessKeyId: string; secretAccessKey: string }
}

/** Long enough for a machine that does ten other things. */
const WAIT_MS = 120_000

/** A worker's `main.ts` as a process of its own, ready or killed by a failpoint; killed on disposal. */
export async function spawnWorker(main: URL, surroundings: WorkerSurroundings, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [fileURLToPath(main)], { env: environment(surroundings, env) })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const kill = () => child.kill('SIGKILL')
  // A test that ran out of its time never gets to its disposals.
  process.once('exit', kill)
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))

  async function dispose() {
    kill()
    await ended
    process.off('exit', kill)
  }

  // A failpoint may end it before anybody could ask whether it is ready.
  const killed = ended.then(({ signal }) => (signal === 'SIGKILL' ? null : Promise.reject(new Error('It ended'))))
  const adminUrl = await Promise.race([becomesReady(() => linesOf(output.stdout)), killed]).catch(
    async (cause: unknown) => {
      await dispose()
      throw new Error(`The worker did not become ready: ${output.stdout}${output.stderr}`, { cause })
    },
  )
  return {
    /** SIGTERM; answers how it ended. */
    async stop() {
      child.kill('SIGTERM')
      return await ended
    },
    ended,
    metrics: async () => (await fetch(`${adminUrl}/metrics`)).text(),
    [Symbol.asyncDispose]: dispose,
  }
}

export type WorkerProcess = Awaited<ReturnType<typeof spawnWorker>>

function environment(surroundings: WorkerSurroundings, env: Record<string, string>): Record<string, string> {
  const { store } = surroundings
  return {
    ...nodeEnvironment(),
    SERVICE_ENV: 'development',
    HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    FAILPOINT_DIR: surroundings.failpointDir,
    DATABASE_URL: surroundings.databaseUrl,
    NATS_URL: surroundings.natsUrl,
    ...networksEnvironment(surroundings),
    S3_ENDPOINT: store.endpoint,
    S3_REGION: store.region,
    S3_BUCKET: store.bucket,
    S3_FORCE_PATH_STYLE: 'true',
    AWS_ACCESS_KEY_ID: store.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
    DISPATCH_INTERVAL_SECONDS: '0.1',
    ...env,
  }
}

function networksEnvironment({ networks }: WorkerSurroundings): Record<string, string> {
  const settings = Object.entries(networks).map(([name, { dir, role = 'required' }]) => ({
    [`NETWORK_${name.toUpperCase()}_DIR`]: dir,
    [`NETWORK_${name.toUpperCase()}_ROLE`]: role,
    [`NETWORK_${name.toUpperCase()}_RESERVE_BYTES`]: '0',
  }))
  return Object.assign({ STORAGE_NETWORKS: Object.keys(networks).join() }, ...settings) as Record<string, string>
}

function linesOf(stdout: string): Line[] {
  const texts = stdout.split('\n').filter((text) => text.endsWith('}'))
  return texts.map((text) => JSON.parse(text) as Line)
}

async function becomesReady(lines: () => Line[]): Promise<string> {
  const opened = () => lines().find(({ msg }) => msg === 'admin port open')
  const { adminPort } = await waitFor(opened, { what: 'the admin port', timeoutMs: WAIT_MS })
  const adminUrl = `http://127.0.0.1:${String(adminPort)}`
  const isReady = async () => (await fetch(`${adminUrl}/ready`)).ok
  await waitFor(isReady, { what: 'the worker to be ready', timeoutMs: WAIT_MS })
  return adminUrl
}

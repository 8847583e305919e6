import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { waitFor } from '@tideport/testing/wait-for'

type Line = Record<string, unknown> & { msg: string }

export interface WorkerSurroundings {
  databaseUrl: string
  natsUrl: string
  networkDir: string
  failpointDir: string
  store: { endpoint: string; region: string; bucket: string; accessKeyId: string; secretAccessKey: string }
}

/** A worker's `main.ts` as a process of its own, ready; killed on disposal. */
export async function spawnWorker(main: URL, surroundings: WorkerSurroundings, env: Record<string, string> = {}) {
  const { store } = surroundings
  const child = spawn(process.execPath, [fileURLToPath(main)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      SERVICE_ENV: 'development',
      HOST: '127.0.0.1',
      ADMIN_PORT: '0',
      FAILPOINT_DIR: surroundings.failpointDir,
      DATABASE_URL: surroundings.databaseUrl,
      NATS_URL: surroundings.natsUrl,
      EMBEDDED_NETWORK_DIR: surroundings.networkDir,
      S3_ENDPOINT: store.endpoint,
      S3_REGION: store.region,
      S3_BUCKET: store.bucket,
      S3_FORCE_PATH_STYLE: 'true',
      AWS_ACCESS_KEY_ID: store.accessKeyId,
      AWS_SECRET_ACCESS_KEY: store.secretAccessKey,
      DISPATCH_INTERVAL_SECONDS: '0.1',
      ...env,
    },
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  const lines = (): Line[] => output.split('\n').filter((text) => text.endsWith('}')).map((text) => JSON.parse(text)) // biome-ignore format: one chain
  const line = (msg: string) => waitFor(() => lines().find((logged) => logged.msg === msg), { what: `"${msg}"` })

  const { adminPort } = await line('admin port open')
  const adminUrl = `http://127.0.0.1:${String(adminPort)}`
  await waitFor(async () => (await fetch(`${adminUrl}/ready`)).ok, { what: 'the worker to be ready' })
  return {
    /** SIGTERM; answers how it ended. */
    async stop() {
      child.kill('SIGTERM')
      return await ended
    },
    ended,
    lines,
    metrics: async () => (await fetch(`${adminUrl}/metrics`)).text(),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

export type WorkerProcess = Awaited<ReturnType<typeof spawnWorker>>

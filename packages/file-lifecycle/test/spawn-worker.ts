import { spawnProgram } from '@tideport/testing/spawn-program'

export interface WorkerSurroundings {
  databaseUrl: string
  natsUrl: string
  /** Directories of embedded networks by their names, and which of them are left. */
  networks: Record<string, { dir: string; role?: 'required' | 'leaving' }>
  failpointDir: string
  store: { endpoint: string; region: string; bucket: string; accessKeyId: string; secretAccessKey: string }
}

/** A worker's `main.ts` as a process of its own, ready or killed by a failpoint; killed on disposal. */
export async function spawnWorker(main: URL, surroundings: WorkerSurroundings, env: Record<string, string> = {}) {
  const worker = spawnProgram(main, environment(surroundings, env))
  // A failpoint may end it before anybody could ask whether it is ready.
  const end = await Promise.race([worker.ready(), worker.ended])
  if (end && end.signal !== 'SIGKILL') throw new Error(`The worker ended before it was ready: ${worker.printed()}`)
  return worker
}

function environment(surroundings: WorkerSurroundings, env: Record<string, string>): Record<string, string> {
  const { store } = surroundings
  return {
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

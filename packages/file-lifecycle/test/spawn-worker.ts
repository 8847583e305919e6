import { type BucketSettings, s3Environment } from '@tideport/testing/s3'
import { spawnProgram } from '@tideport/testing/spawn-program'
import { networksEnvironment } from './networks-environment.ts'

export interface WorkerSurroundings {
  databaseUrl: string
  natsUrl: string
  /** Directories of embedded networks by their names, and which of them are left. */
  networks: Parameters<typeof networksEnvironment>[0]
  failpointDir: string
  store: BucketSettings
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
  return {
    SERVICE_ENV: 'development',
    HOST: '127.0.0.1',
    ADMIN_PORT: '0',
    FAILPOINT_DIR: surroundings.failpointDir,
    DATABASE_URL: surroundings.databaseUrl,
    NATS_URL: surroundings.natsUrl,
    ...networksEnvironment(surroundings.networks),
    ...s3Environment(surroundings.store),
    DISPATCH_INTERVAL_SECONDS: '0.1',
    ...env,
  }
}

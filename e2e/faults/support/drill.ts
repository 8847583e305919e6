import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { launchS3 } from '@tideport/dev-stack/servers/launch-s3'
import { launchPostgres } from '@tideport/dev-stack/servers/postgres/launch-postgres'
import { startStack } from '@tideport/dev-stack/stack/start-stack'
import { nodeEnvironment } from '@tideport/testing/node-environment'
import { quickLife, type StackFile } from '../../support/start-test-stack.ts'

const main = fileURLToPath(new URL('../../../packages/operator/src/main.ts', import.meta.url))

type Servers = Pick<StackFile, 'postgresUrl' | 's3' | 'networkDir'>

/** A complete system that can be stopped and restarted with its data, and the commands of its operator. */
export async function startDrill() {
  await using starting = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tideport-e2e-'))
  starting.defer(() => rm(dataDir, { recursive: true, force: true }))
  const said: string[] = []
  const port = await freePort()
  const start = () => startStack({ dataDir, port, durable: false, env: quickLife, out: (line) => said.push(line) })
  let stack = await start()
  starting.defer(() => stack.stop())
  const parts = starting.move()

  return {
    dataDir,
    said: said as readonly string[],
    describe: () => stack.describe(),
    stop: () => stack.stop(),
    async start() {
      stack = await start()
    },
    /** Runs an operator command while the services run. */
    operator: (...args: string[]) => runOperator(dataDir, stack.describe(), args),
    /** Runs `work` with only Postgres and S3 on the data of the stopped stack, as after a restore. */
    async withServersAlone(work: (operator: (...args: string[]) => Promise<Answer>) => Promise<void>): Promise<void> {
      const { s3, networkDir } = stack.describe()
      await using postgres = await launchPostgres({ dataDir: join(dataDir, 'postgres'), durable: false })
      await using store = await launchS3({ ...s3, dataDir: join(dataDir, 's3') })
      const servers = { postgresUrl: postgres.url, s3: { ...s3, endpoint: store.endpoint }, networkDir }
      await work((...args) => runOperator(dataDir, servers, args))
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}

export type Drill = Awaited<ReturnType<typeof startDrill>>

export type Answer = {
  code: number
  /** The lines of `--json` output. */
  rows: Record<string, unknown>[]
  stderr: string
}

/** Runs `operator …` with the settings of the files service, overridden by `over`. */
export async function runOperator(
  dataDir: string,
  { postgresUrl, s3, networkDir }: Servers,
  args: string[],
  over: Record<string, string> = {},
): Promise<Answer> {
  const { roles } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'))
  const database = Object.assign(new URL(postgresUrl), {
    username: 'files',
    password: roles.files,
    pathname: '/tideport',
  })
  const env = {
    ...nodeEnvironment(),
    SERVICE_ENV: 'development',
    DATABASE_URL: database.href,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_FORCE_PATH_STYLE: 'true',
    AWS_ACCESS_KEY_ID: s3.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
    EMBEDDED_NETWORK_DIR: networkDir,
    SETTLE_SECONDS: '5',
    ...over,
  }
  return await new Promise((done) => {
    execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) => {
      const lines = args.includes('--json') ? stdout.split('\n').filter(Boolean) : []
      done({ code: error ? Number(error.code) : 0, rows: lines.map((line) => JSON.parse(line)), stderr })
    })
  })
}

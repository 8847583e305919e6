import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@tideport/dev-stack/ports/free-port'
import { hostEnvironment } from '@tideport/dev-stack/processes/host-environment'
import { breakCutUploads } from '@tideport/versitygw/break-cut-uploads'
import { healInterruptedUploads } from '@tideport/versitygw/heal-interrupted-uploads'
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from 'testcontainers'

const compose = readFileSync(new URL('../../../../docker-compose.yml', import.meta.url), 'utf8')

function imageOf(variable: string): string {
  const [, pinned] = new RegExp(`\\$\\{${variable}:-([^}]+)}`).exec(compose) ?? []
  const image = hostEnvironment()[variable] || pinned
  if (image === undefined) throw new Error(`docker-compose.yml has no ${variable}`)
  return image
}

const images = { postgres: imageOf('POSTGRES_IMAGE'), nats: imageOf('NATS_IMAGE'), s3: imageOf('VERSITYGW_IMAGE') }
const region = 'us-east-1'

/** A disposable Postgres, with its data in memory only. */
export async function launchPostgres(_: { dataDir: string; durable: false }) {
  const password = randomUUID()
  const server = await runContainer({
    image: images.postgres,
    command: [
      'postgres',
      ...['fsync=off', 'max_connections=400', 'full_page_writes=off'].flatMap((set) => ['-c', set]),
    ],
    env: { POSTGRES_PASSWORD: password },
    port: 5432,
    tmpFs: { '/var/lib/postgresql': 'rw' },
    probe: ['pg_isready', '-h', '127.0.0.1', '-U', 'postgres'],
  })
  return { ...server, url: `postgres://postgres:${password}@127.0.0.1:${server.port}/postgres` }
}

interface NatsOptions {
  dataDir: string
  port?: number | undefined
  login?: { user: string; password: string } | undefined
  configuration?: string | undefined
}

export async function launchNats({ dataDir, port, login, configuration = '' }: NatsOptions) {
  await mkdir(dataDir, { recursive: true })
  await writeFile(join(dataDir, 'nats-server.conf'), configuration)
  const server = await runContainer({
    image: images.nats,
    command: [
      'nats-server',
      '--config=/data/nats-server.conf',
      '--jetstream',
      '--store_dir=/data',
      '--http_port=8222',
    ].concat(login ? ['--user', login.user, '--pass', login.password] : []),
    port: 4222,
    hostPort: port,
    folders: { '/data': dataDir },
    probe: ['wget', '-qO-', 'http://127.0.0.1:8222/healthz?js-enabled-only=true'],
  })
  return { ...server, url: `nats://127.0.0.1:${server.port}` }
}

interface S3Options {
  dataDir: string
  port?: number | undefined
  versions?: boolean | undefined
  accessKeyId: string
  secretAccessKey: string
}

/** Starts versitygw behind the proxy that it needs (`breakCutUploads`). The proxy keeps its port. */
export async function launchS3({ dataDir, port = 0, versions = false, accessKeyId, secretAccessKey }: S3Options) {
  const [objects, metadata] = [join(dataDir, 'objects'), join(dataDir, 'metadata')]
  for (const dir of [objects, metadata, join(dataDir, 'versions')]) await mkdir(dir, { recursive: true })
  await healInterruptedUploads(objects, metadata)
  const server = await runContainer({
    image: images.s3,
    command: ['--port', ':7070', '--region', region, '--quiet', '--keep-alive', '--health', '/health'].concat(
      ...['posix', ...(versions ? ['--versioning-dir', '/data/versions'] : ['--sidecar', '/data/metadata'])],
      '/data/objects',
    ),
    env: { ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
    port: 7070,
    folders: { '/data': dataDir },
    probe: ['wget', '-qO-', 'http://127.0.0.1:7070/health'],
  })
  const host = '127.0.0.1'
  const doorPort = port || (await freePort())
  const door = await breakCutUploads({ host, port: doorPort, upstreamHost: host, upstreamPort: server.port })
  void server.exited.then(() => door[Symbol.asyncDispose]())
  return { ...server, port: doorPort, endpoint: `http://${host}:${doorPort}`, region, accessKeyId, secretAccessKey }
}

interface ContainerOptions {
  image: string
  command: string[]
  env?: Record<string, string>
  port: number
  /** Port on this machine. Defaults to a free one. */
  hostPort?: number | undefined
  /** Host folders by container path. The container then runs as the current user, who can delete the folders. */
  folders?: Record<string, string>
  tmpFs?: Record<string, string>
  /** A command in the container that succeeds when the server is ready. */
  probe: string[]
}

interface ServerContainer extends AsyncDisposable {
  port: number
  exited: Promise<unknown>
  stop(): Promise<void>
  kill(): void
}

/** Publishes ports on loopback only. The library publishes them on all interfaces. */
class LoopbackContainer extends GenericContainer {
  protected override async beforeContainerCreated(): Promise<void> {
    for (const bindings of Object.values(this.hostConfig.PortBindings ?? {})) {
      for (const binding of bindings as { HostIp?: string }[]) binding.HostIp = '127.0.0.1'
    }
  }
}

async function runContainer(options: ContainerOptions): Promise<ServerContainer> {
  const port = options.hostPort ?? (await freePort())
  const folders = Object.entries(options.folders ?? {})
  const container = new LoopbackContainer(options.image)
    .withCommand(options.command)
    .withEnvironment(options.env ?? {})
    .withExposedPorts({ container: options.port, host: port })
    .withBindMounts(folders.map(([target, source]) => ({ source, target })))
    .withTmpFs(options.tmpFs ?? {})
    .withHealthCheck({ test: ['CMD', ...options.probe], interval: 250, timeout: 2_000, retries: 240 })
    .withWaitStrategy(Wait.forHealthCheck())
  if (folders.length > 0) container.withUser(`${process.getuid?.()}:${process.getgid?.()}`)
  const started = await container.start()
  const exited = exitOf(started)
  let stopping: Promise<unknown> | undefined
  const stop = async () => {
    stopping ??= started.stop({ timeout: 10_000 })
    await stopping.catch(ignoreGone)
  }
  return {
    port,
    exited,
    stop,
    kill: () => void kill(started),
    [Symbol.asyncDispose]: stop,
  }
}

async function exitOf(started: StartedTestContainer): Promise<unknown> {
  const client = await getContainerRuntimeClient()
  return await client.container.getById(started.getId()).wait({ condition: 'not-running' }).catch(ignoreGone)
}

async function kill(started: StartedTestContainer): Promise<void> {
  const client = await getContainerRuntimeClient()
  await client.container.getById(started.getId()).kill().catch(ignoreGone)
}

function ignoreGone(error: { statusCode?: number }): void {
  if (error.statusCode !== 404 && error.statusCode !== 409) throw error
}

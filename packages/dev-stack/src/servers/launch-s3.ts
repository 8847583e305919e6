import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { breakCutUploads } from '@tideport/versitygw/break-cut-uploads'
import { healInterruptedUploads } from '@tideport/versitygw/heal-interrupted-uploads'
import { serverBinary } from '../binaries/server-binary.ts'
import { onAPort } from '../ports/on-a-port.ts'
import { bareEnvironment, hostEnvironment } from '../processes/host-environment.ts'
import { claimDataDir, isAnswered, launchServer, type RunningServer, type ServerOptions } from './launch-server.ts'

interface S3Options extends ServerOptions {
  accessKeyId: string
  secretAccessKey: string
  /**
   * Enables versions and object locks. Metadata are then extended attributes, because metadata files break objects that
   * are stored over a delete marker.
   */
  versions?: boolean
}

/** A running versitygw on 127.0.0.1: path-style addressing, checked signatures, no bucket. */
export type S3Server = RunningServer & {
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const region = 'us-east-1'

/** Repairs multipart completions that a kill interrupted, then starts versitygw behind a proxy on `port`. */
export async function launchS3(options: S3Options): Promise<S3Server> {
  const { dataDir, accessKeyId, secretAccessKey } = options
  const environment = options.env ?? hostEnvironment()
  const command = await serverBinary('versitygw', { env: environment, out: options.log })
  const [objects, metadata, versions] = [join(dataDir, 'objects'), join(dataDir, 'metadata'), join(dataDir, 'versions')]
  await claimDataDir(options)
  for (const dir of [objects, metadata, ...(options.versions ? [versions] : [])]) {
    await mkdir(dir, { recursive: true, mode: 0o700 })
  }
  await healInterruptedUploads(objects, metadata)
  const server = await launchServer({ ...options, port: undefined }, (port) => ({
    name: 'versitygw',
    command,
    args: [
      ...['--port', `127.0.0.1:${port}`, '--region', region, '--quiet', '--keep-alive', '--health', '/health'],
      ...['posix', ...(options.versions ? ['--versioning-dir', versions] : ['--sidecar', metadata]), objects],
    ],
    env: { ...bareEnvironment(environment), ROOT_ACCESS_KEY: accessKeyId, ROOT_SECRET_KEY: secretAccessKey },
    isReady: () => isAnswered(`http://127.0.0.1:${port}/health`),
    readyTimeoutMs: 30_000,
    stopGraceMs: 10_000,
  }))
  const port = await openDoor(server, options.port)
  return { ...server, port, endpoint: `http://127.0.0.1:${port}`, region, accessKeyId, secretAccessKey }
}

/** Starts the proxy and returns its port. The proxy closes when versitygw exits. Stops versitygw if the start fails. */
async function openDoor(server: RunningServer, wanted: number | undefined): Promise<number> {
  const host = '127.0.0.1'
  return onAPort(wanted, async (port) => {
    const door = await breakCutUploads({ host, port, upstreamHost: host, upstreamPort: server.port })
    void server.exited.then(() => door[Symbol.asyncDispose]())
    return port
  }).catch(async (error: Error) => {
    await server.stop()
    throw error
  })
}

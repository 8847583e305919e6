import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { breakCutUploads } from '@tideport/versitygw/break-cut-uploads'
import { healInterruptedUploads } from '@tideport/versitygw/heal-interrupted-uploads'
import { serverBinary } from '../binaries/server-binary.ts'
import { freePort } from '../ports/free-port.ts'
import { onAPort } from '../ports/on-a-port.ts'
import { awaitReady } from '../processes/await-ready.ts'
import { bareEnvironment, type Environment, hostEnvironment } from '../processes/host-environment.ts'
import { endStray } from '../processes/process-record.ts'
import { type RunningChild, runChild } from '../processes/run-child.ts'

export type S3Options = {
  /** Where objects and their metadata are kept; made when missing. One running server per directory. */
  dataDir: string
  /** A free one when missing. */
  port?: number | undefined
  accessKeyId: string
  secretAccessKey: string
  /**
   * Buckets may have versions, and locks on them. Metadata then lie in extended attributes: beside the objects versitygw
   * takes what is stored over a delete marker for that marker.
   */
  versions?: boolean | undefined
  /** Gets every line the server prints. */
  log?: ((line: string) => void) | undefined
  /** Where VERSITYGW_BIN, PATH and TIDEPORT_CACHE_DIR are read; this process's environment when missing. */
  env?: Environment | undefined
}

/** A running versitygw on 127.0.0.1: path-style addressing, signatures checked, no bucket made yet. */
export type S3Server = RunningChild & {
  readonly port: number
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const region = 'us-east-1'

/**
 * Starts versitygw on `dataDir` and resolves when it answers. Completions that a kill interrupted are healed first, and
 * a server that a killed process left behind on the same directory is ended. Rejects with `StartError` when it does
 * not come up.
 */
export async function launchS3(options: S3Options): Promise<S3Server> {
  const environment = options.env ?? hostEnvironment()
  const binary = await serverBinary('versitygw', { env: environment, out: options.log })
  const recordFile = join(options.dataDir, 'process.json')
  const [objects, metadata, versions] = ['objects', 'metadata', 'versions'].map((name) =>
    join(options.dataDir, name),
  ) as [string, string, string]
  for (const dir of [options.dataDir, objects, metadata, ...(options.versions ? [versions] : [])])
    await mkdir(dir, { recursive: true, mode: 0o700 })
  await endStray(recordFile, 'SIGTERM')
  await healInterruptedUploads(objects, metadata)
  return onAPort(options.port, async (port) => {
    const upstreamPort = await freePort()
    const child = await runChild({
      command: binary,
      args: [
        '--port',
        `127.0.0.1:${upstreamPort}`,
        '--region',
        region,
        '--quiet',
        '--keep-alive',
        '--health',
        '/health',
        ...['posix', ...(options.versions ? ['--versioning-dir', versions] : ['--sidecar', metadata]), objects],
      ],
      env: {
        ...bareEnvironment(environment),
        ROOT_ACCESS_KEY: options.accessKeyId,
        ROOT_SECRET_KEY: options.secretAccessKey,
      },
      onLine: options.log,
      stopSignal: 'SIGTERM',
      stopGraceMs: 10_000,
      deathSignal: 'SIGTERM',
      recordFile,
    })
    const isReady = () => isHealthy(`http://127.0.0.1:${upstreamPort}/health`)
    await awaitReady('versitygw', child, isReady, 30_000)
    const ports = { host: '127.0.0.1', port, upstreamHost: '127.0.0.1', upstreamPort }
    const door = await breakCutUploads(ports).catch(async (error: Error) => {
      await child.stop()
      throw error
    })
    void child.exited.then(() => door[Symbol.asyncDispose]())
    const { accessKeyId, secretAccessKey } = options
    const endpoint = `http://127.0.0.1:${port}`
    return { ...child, port, endpoint, region, accessKeyId, secretAccessKey }
  })
}

async function isHealthy(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(1_000) })
  await response.body?.cancel()
  return response.ok
}

import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { serverBinary } from '../binaries/server-binary.ts'
import { onAPort } from '../ports/on-a-port.ts'
import { awaitReady } from '../processes/await-ready.ts'
import { bareEnvironment, type Environment, hostEnvironment } from '../processes/host-environment.ts'
import { endStray } from '../processes/process-record.ts'
import { type RunningChild, runChild } from '../processes/run-child.ts'

export type NatsOptions = {
  /** Where JetStream keeps its streams; made when missing. One running server per directory. */
  storeDir: string
  /** A free one when missing. */
  port?: number | undefined
  /** Who may connect; anybody when missing. */
  login?: { user: string; password: string } | undefined
  /** Further lines of its configuration, such as its users. */
  configuration?: string | undefined
  /** Gets every line the server prints. */
  log?: ((line: string) => void) | undefined
  /** Where NATS_SERVER_BIN, PATH and TIDEPORT_CACHE_DIR are read; this process's environment when missing. */
  env?: Environment | undefined
}

/**
 * What its streams may be promised: more than the limits of ours come to, made by several at once. Unless told, a server
 * promises three quarters of what its disk has free, and on one that has little it refuses to make them.
 */
const STORE_GB = 64

/** A running nats-server with JetStream on 127.0.0.1. */
export type NatsServer = RunningChild & { readonly port: number; readonly url: string }

/**
 * Starts nats-server on `storeDir` and resolves when JetStream answers. A server that a killed process left behind on
 * the same directory is ended first. Rejects with `StartError` when it does not come up.
 */
export async function launchNats(options: NatsOptions): Promise<NatsServer> {
  const environment = options.env ?? hostEnvironment()
  const binary = await serverBinary('nats-server', { env: environment, out: options.log })
  const recordFile = join(options.storeDir, 'process.json')
  await mkdir(options.storeDir, { recursive: true, mode: 0o700 })
  await endStray(recordFile, 'SIGTERM')
  const configuration = join(options.storeDir, 'nats-server.conf')
  await writeFile(configuration, `jetstream { max_file_store: ${STORE_GB}GB }\n${options.configuration ?? ''}`)
  return onAPort(options.port, async (port) => {
    const serverName = `tideport-${randomUUID()}`
    const child = await runChild({
      command: binary,
      args: [
        ...['--config', configuration, '--addr', '127.0.0.1', '--port', String(port), '--name', serverName],
        ...['-js', '-sd', options.storeDir],
      ].concat(options.login ? ['--user', options.login.user, '--pass', options.login.password] : []),
      env: bareEnvironment(environment),
      onLine: options.log,
      stopSignal: 'SIGTERM',
      stopGraceMs: 10_000,
      deathSignal: 'SIGTERM',
      recordFile,
    })
    await awaitReady('nats-server', child, () => answersAs(serverName, port), 30_000)
    return { ...child, port, url: `nats://127.0.0.1:${port}` }
  })
}

/** Reads the greeting that the server sends on connect: its name tells ours from another on the same port. */
function answersAs(serverName: string, port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 })
  return new Promise<boolean>((resolve, reject) => {
    let greeting = ''
    socket.on('data', (data) => {
      greeting += data.toString()
      if (!greeting.includes('\r\n')) return
      const info = JSON.parse(greeting.slice('INFO '.length, greeting.indexOf('\r\n')))
      resolve(info.server_name === serverName && info.jetstream === true)
    })
    socket.on('timeout', () => resolve(false))
    socket.on('close', () => resolve(false))
    socket.on('error', reject)
  }).finally(() => socket.destroy())
}

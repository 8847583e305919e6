import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { join } from 'node:path'
import { serverBinary } from '../binaries/server-binary.ts'
import { writeAtomically } from '../file-system/write-atomically.ts'
import { bareEnvironment, hostEnvironment } from '../processes/host-environment.ts'
import { claimDataDir, launchServer, type RunningServer, type ServerOptions } from './launch-server.ts'

export interface NatsOptions extends ServerOptions {
  /** The only accepted login. Any client may connect if missing. */
  login?: { user: string; password: string } | undefined
  /** Additional lines of the configuration, such as its users. */
  configuration?: string | undefined
}

/** More than the limits of Tideport's streams. By default, a server reserves at most 75% of the free disk space. */
const STORE_GB = 64

export type NatsServer = RunningServer & { readonly url: string }

/** Starts nats-server, with JetStream's streams in `dataDir`. Resolves when JetStream responds. */
export async function launchNats(options: NatsOptions): Promise<NatsServer> {
  const { dataDir, login } = options
  const environment = options.env ?? hostEnvironment()
  const command = await serverBinary('nats-server', { env: environment, out: options.log })
  await claimDataDir(options)
  const configuration = join(dataDir, 'nats-server.conf')
  // In the file, because every user of the machine can read the arguments of a process.
  const { user, password } = login ?? {}
  const authorization = login ? `authorization ${JSON.stringify({ user, password })}\n` : ''
  const lines = `jetstream { max_file_store: ${STORE_GB}GB }\n${authorization}${options.configuration ?? ''}`
  await writeAtomically(configuration, lines)
  let stop: (() => Promise<void>) | undefined
  const log = (line: string) => {
    options.log?.(line)
    if (losesWrites.test(line)) void stop?.()
  }
  const server = await launchServer({ ...options, log }, (port) => {
    const serverName = `tideport-${randomUUID()}`
    return {
      name: 'nats-server',
      command,
      args: [
        ...['--config', configuration, '--addr', '127.0.0.1', '--port', String(port), '--name', serverName],
        ...['-js', '-sd', dataDir],
      ],
      env: bareEnvironment(environment),
      isReady: () => answersAs(serverName, port),
      readyTimeoutMs: 30_000,
      stopGraceMs: 10_000,
    }
  })
  stop = server.stop
  return { ...server, url: `nats://127.0.0.1:${server.port}` }
}

/**
 * After a failed write, for example because the disk was full, a stream accepts no messages until the server restarts,
 * even if the disk has space again (seen in 2.14). The server is stopped, so that its supervisor restarts it.
 */
const losesWrites = /\bcritical write error\b|JetStream\b.*\bDISABLED\b/

/** Reads the server's greeting, whose server name distinguishes this server from another one on the same port. */
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

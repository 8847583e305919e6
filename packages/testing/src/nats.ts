import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { NatsOptions } from '@tideport/dev-stack/servers/launch-nats'
import { launchNats } from './launch.ts'
import { createTemporaryDirectory } from './temporary-directory.ts'

/** A nats-server that keeps its port. With `login` it accepts nobody else. Adds `configuration` to the server's. */
export async function startNats({ login, configuration }: Pick<NatsOptions, 'login' | 'configuration'> = {}) {
  const directory = await createTemporaryDirectory('nats')
  const dataDir = join(directory.path, 'store')
  const connections: NatsConnection[] = []
  let server = await launchNats({ dataDir, login, configuration })
  const { port, url } = server

  async function start() {
    server = await launchNats({ dataDir, port, login, configuration })
  }
  async function stop() {
    await server.stop()
  }
  async function dispose() {
    for (const connection of connections) await connection.close()
    await stop()
    await directory[Symbol.asyncDispose]()
  }

  return {
    url,
    port,
    async connect(): Promise<NatsConnection> {
      const connection = await connect({ servers: url, maxReconnectAttempts: -1, reconnectTimeWait: 50 })
      connections.push(connection)
      return connection
    },
    stop,
    async kill() {
      server.kill()
      await server.exited
    },
    start,
    /** Loses every stream and consumer, as when its disk is gone, and comes back empty. */
    async wipe() {
      await stop()
      await rm(dataDir, { recursive: true, force: true })
      await start()
    },
    /** Keeps a copy of what it has stored; what is answered puts that back, as when a disk lost its last writes. */
    async snapshot(): Promise<() => Promise<void>> {
      const copy = join(directory.path, `store-${crypto.randomUUID()}`)
      await stop()
      await cp(dataDir, copy, { recursive: true })
      await start()
      return async () => {
        await stop()
        await rm(dataDir, { recursive: true, force: true })
        await cp(copy, dataDir, { recursive: true })
        await start()
      }
    },
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

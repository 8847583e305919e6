import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import type { NatsOptions } from '@tideport/dev-stack/servers/launch-nats'
import { launchNats } from './launch.ts'
import { createTemporaryDirectory } from './temporary-directory.ts'

/** A nats-server that keeps its port. With `login`, it accepts only that login. Appends `configuration` to its own. */
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
    /** Deletes every stream and consumer and restarts the server, as after the loss of its disk. */
    async wipe() {
      await stop()
      await rm(dataDir, { recursive: true, force: true })
      await start()
    },
    /** Copies the store. The returned function restores the copy, as if the disk had lost its last writes. */
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

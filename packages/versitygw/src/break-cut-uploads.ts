import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** Address of the proxy, and upstream address of versitygw. */
export type Door = { host: string; port: number; upstreamHost: string; upstreamPort: number }

/**
 * versitygw treats the end of a connection as the end of the body, so it stores an interrupted part with zeros (seen in
 * 1.8.0). This proxy turns a client's close into a reset of the upstream connection. A client that half-closes its
 * connection while it waits for a response receives no response.
 */
export async function breakCutUploads(door: Door): Promise<AsyncDisposable> {
  const clients = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    clients.add(client.once('close', () => clients.delete(client)))
    join(client, connect({ host: door.upstreamHost, port: door.upstreamPort, noDelay: true }))
  })
  server.listen(door.port, door.host)
  await once(server, 'listening')
  return {
    async [Symbol.asyncDispose]() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      for (const client of clients) client.destroy()
      await closed
    },
  }
}

function join(client: Socket, upstream: Socket): void {
  const breakOff = () => upstream.resetAndDestroy()
  client.once('end', breakOff).once('close', breakOff).on('error', breakOff)
  upstream.on('error', () => client.resetAndDestroy()).once('close', () => client.destroySoon())
  client.pipe(upstream, { end: false })
  upstream.pipe(client)
}

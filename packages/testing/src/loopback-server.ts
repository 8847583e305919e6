import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

/** Lets a server listen on 127.0.0.1, on any free port unless told, and returns the port. */
export async function listenOnLoopback(server: Server, port = 0): Promise<number> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Cuts every connection; settles when the server is gone, also when it was before. */
export async function closeAtOnce(server: HttpServer): Promise<void> {
  server.closeAllConnections()
  if (server.listening) await new Promise((resolve) => server.close(resolve))
}

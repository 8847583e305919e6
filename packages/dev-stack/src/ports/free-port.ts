import { createServer } from 'node:net'

// Below the range from which systems take the ports of outgoing connections. A client that keeps dialling a server
// which is down could otherwise be given that server's own port, connect to itself and keep the server from coming
// back.
const lowest = 20_000
const highest = 29_999
const handedOut = new Set<number>()

/** A TCP port of 127.0.0.1 that nothing listens on now, never the same one twice from one process. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1))
    if (handedOut.has(port) || !(await isPortFree(port))) continue
    handedOut.add(port)
    return port
  }
  throw new Error(`No free port was found between ${lowest} and ${highest} on 127.0.0.1.`)
}

export function isPortFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}

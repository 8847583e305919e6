import { createServer } from 'node:net'

// Below the system's range of ephemeral ports. A client that keeps dialing an unavailable server could otherwise be
// assigned that server's port, connect to itself, and block the server's restart.
const lowest = 20_000
const highest = 29_999
const handedOut = new Set<number>()

/** A free TCP port of 127.0.0.1. Never returns the same port twice in one process. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest + 1))
    if (handedOut.has(port) || !(await isPortFree(port))) continue
    handedOut.add(port)
    return port
  }
  throw new Error(`No free port was found between ${lowest} and ${highest} on 127.0.0.1.`)
}

export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

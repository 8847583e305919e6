import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const AT_ONCE = 100

export interface StalledReaders extends AsyncDisposable {
  /** How many were answered 200; the others were refused. */
  served(): number
}

/** Asks for one file so many times, each on a connection of its own, and reads no more than how each answer begins. */
export async function openStalledReaders(
  url: string,
  { count, addresses }: { count: number; addresses: number },
): Promise<StalledReaders> {
  const { hostname, port, pathname } = new URL(url)
  const sockets: Socket[] = []
  let served = 0
  async function open(index: number): Promise<void> {
    const place = index % addresses
    const localAddress = `127.0.${1 + Math.floor(place / 250)}.${1 + (place % 250)}`
    const socket = connect({ host: hostname, port: Number(port), localAddress })
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
    const [head] = (await once(socket, 'data')) as [Buffer]
    socket.pause()
    if (head.toString('latin1').startsWith('HTTP/1.1 200')) served += 1
  }
  for (let first = 0; first < count; first += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, index) => open(first + index)))
  }
  return {
    served: () => served,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

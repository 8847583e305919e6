import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const DRIP_MS = 1000
const CONNECT_EVERY_MS = 2

export interface SlowClients extends AsyncDisposable {
  /** Connections that were not closed yet. */
  open(): number
}

/**
 * Keeps so many connections up, spread over addresses of one /24 each: each sends its `head` and then one byte a second, or
 * reads one piece a second where there is nothing to send. A connection that is closed or refused is opened again.
 */
export async function openSlowClients(
  url: string,
  {
    count,
    networks,
    head,
    isSending,
  }: { count: number; networks: number; head: (index: number) => string; isSending: boolean },
): Promise<SlowClients> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isOver = false

  function open(index: number): void {
    if (isOver) return
    const localAddress = `127.1.${index % networks}.1`
    const socket = connect({ host: hostname, port: Number(port), localAddress })
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.write(head(index))
    // A reader takes a single piece, then nothing until the next second.
    socket.on('data', (chunk) => {
      if (chunk.subarray(0, 12).toString('latin1') === 'HTTP/1.1 503') socket.destroy()
      else socket.pause()
    })
    const drip = setInterval(() => (isSending ? socket.write('x') : socket.resume()), DRIP_MS)
    socket.on('error', () => {})
    socket.once('close', () => {
      clearInterval(drip)
      sockets.delete(socket)
      setTimeout(open, DRIP_MS / 2, index)
    })
  }

  for (let index = 0; index < count; index += 1) {
    open(index)
    await delay(CONNECT_EVERY_MS)
  }
  return {
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      isOver = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

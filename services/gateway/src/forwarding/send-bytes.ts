import { bytesOf } from '@tideport/service-kit/http/take-bytes'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'
import type { Upstream } from '../upstream/upstream.ts'
import { askFirst } from './ask-first.ts'
import { isWaiting } from './expectations.ts'

type Outgoing = Pick<Dispatcher.DispatchOptions, 'path'> & { headers: Record<string, string | string[] | undefined> }

/**
 * The same request with the body of the client's, which goes on as it comes, for as long as its sender takes. A client
 * that waits to be asked for it is asked when the service has nothing against it; else this throws what it has.
 */
export async function withBytes<O extends Outgoing>(
  outgoing: O,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  { upstream, stallSeconds }: { upstream: Upstream; stallSeconds: number },
): Promise<O & Pick<Dispatcher.DispatchOptions, 'body' | 'headersTimeout'>> {
  const { raw } = request
  const length = raw.headers['content-length']
  if (isWaiting(raw)) {
    // Of what comes by a link nothing is known before it is here.
    if (outgoing.path.startsWith('/api/')) await askFirst(upstream, outgoing, length)
    reply.raw.writeContinue()
  }
  const isEmpty = raw.headers['transfer-encoding'] === undefined && Number(length ?? 0) === 0
  // undici takes anything that can be iterated.
  const body = bytesOf(raw, stallSeconds * 1000) as unknown as Uint8Array
  const headers = { ...outgoing.headers, ...(length !== undefined && { 'content-length': length }) }
  return { ...outgoing, headers, body: isEmpty ? null : body, headersTimeout: 0 }
}

import { isForPeople } from '@tideport/service-kit/http/is-for-people'
import { bytesOf } from '@tideport/service-kit/http/take-bytes'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'
import type { OpenRequest } from '../identity/open-request.ts'
import { isWaiting } from '../limits/expectations.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { askFirst } from './ask-first.ts'

/** So few bytes go on when all of them are here: in pieces they cost twice as much. */
const SHORT_BYTES = 64 * 1024

/** How long the end of a body waits for an auth that cannot be reached. */
const PATIENCE_MS = 5_000

type Outgoing = Pick<Dispatcher.DispatchOptions, 'path'> & { headers: Record<string, string | string[] | undefined> }

interface Taking {
  upstream: Upstream
  isByLink: boolean
  stallSeconds: number
  signal: AbortSignal | undefined
}

/** The request with its client's body. Clients that expect 100, and links, are checked by the service before a byte is read. */
export async function withBytes<O extends Outgoing>(
  outgoing: O,
  { request, reply, open }: { request: FastifyRequest; reply: FastifyReply; open: OpenRequest },
  { upstream, isByLink, stallSeconds, signal }: Taking,
): Promise<O & Pick<Dispatcher.DispatchOptions, 'body' | 'headersTimeout'>> {
  const { raw } = request
  const length = raw.headers['content-length']
  let isRefused = false
  if (isWaiting(raw) || isByLink) {
    await open.during(askFirst(upstream, { outgoing, isByLink, length })).catch((error: unknown) => {
      if (!isForPeople(request) || isWaiting(raw)) throw error
      // The service refuses it again, as a page.
      isRefused = true
    })
  }
  if (isWaiting(raw)) {
    await open.confirm()
    reply.raw.writeContinue()
  }
  const isEmpty = raw.headers['transfer-encoding'] === undefined && Number(length ?? 0) === 0
  const bytes = whileOpen(bytesOf(raw, stallSeconds * 1000, signal), length, open)
  const isShort = !isRefused && length !== undefined && Number(length) <= SHORT_BYTES
  const body = isEmpty ? null : isShort ? await open.during(whole(bytes)) : bytes
  const headers = { ...outgoing.headers, ...(length !== undefined && { 'content-length': length }) }
  // undici takes anything that can be iterated.
  return { ...outgoing, headers, body: body as Buffer | null, headersTimeout: 0 }
}

/** Without its last bytes the service stores nothing of a body: they go on only while the credential is valid. */
async function* whileOpen(
  bytes: AsyncIterable<Buffer>,
  length: string | undefined,
  open: OpenRequest,
): AsyncGenerator<Buffer> {
  let takenBytes = 0
  for await (const chunk of bytes) {
    takenBytes += chunk.length
    if (takenBytes === Number(length)) await open.confirm(PATIENCE_MS)
    yield chunk
  }
  if (length === undefined) await open.confirm(PATIENCE_MS)
}

/** Throws 408 for a sender that stalls, 503 to one who has gone. */
async function whole(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of bytes) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch (error) {
    throw error instanceof AppError ? error : unavailable('The bytes did not come', error)
  }
}

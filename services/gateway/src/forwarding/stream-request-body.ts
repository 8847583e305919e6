import { contentLengthHeader } from '@tideport/contracts/internal/api'
import { isForPeople } from '@tideport/service-kit/http/is-for-people'
import { bytesOf } from '@tideport/service-kit/http/streamed-body'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'
import type { OpenRequest } from '../identity/open-request.ts'
import { isWaiting } from '../limits/expectations.ts'
import { askJson } from '../upstream/ask-json.ts'
import type { Upstream } from '../upstream/upstream.ts'

/** Up to this size, a body is forwarded in one piece: chunks would cost twice as much. */
const SHORT_BYTES = 64 * 1024

/** How long the end of a body is withheld while auth is unavailable. */
const PATIENCE_MS = 5_000

type Outgoing = Pick<Dispatcher.DispatchOptions, 'path'> & { headers: Record<string, string | string[] | undefined> }

interface Taking {
  upstream: Upstream
  isByLink: boolean
  stallSeconds: number
  signal: AbortSignal | undefined
}

/**
 * Adds the client's body. With a link or `Expect: 100-continue`, the service checks the request before a byte is read.
 */
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
      // The service also rejects the upload itself, and returns an HTML page.
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
  // undici accepts any iterable.
  return { ...outgoing, headers, body: body as Buffer | null, headersTimeout: 0 }
}

/** The service stores nothing of an incomplete body, so the last bytes are sent only while the credential is valid. */
export async function* whileOpen(
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

/** Throws 408 if the client stalls and 503 if it disconnects. */
async function whole(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of bytes) chunks.push(chunk)
    return Buffer.concat(chunks)
  } catch (error) {
    throw error instanceof AppError
      ? error
      : unavailable('The client closed the connection before the upload was complete', error)
  }
}

const ANSWER_MS = 10_000

interface Question {
  outgoing: { path: string; headers: Record<string, string | string[] | undefined> }
  isByLink: boolean
  length: string | undefined
}

/**
 * Requests the internal counterpart of the path, with the same query. Throws the service's refusal, or 503 without a
 * response.
 */
async function askFirst(upstream: Upstream, { outgoing, isByLink, length }: Question): Promise<void> {
  const { path, headers } = outgoing
  // The router decodes paths, so `/%61pi/` is `/api/`. This check must never become a read of the file itself.
  const request = {
    method: 'GET',
    path: isByLink ? path.replace(/^\/[^/?]*(\/[^/?]*).*/, '/internal/s$1') : path.replace(/^\/[^/?]*/, '/internal'),
    headers: { ...headers, ...(length !== undefined && { [contentLengthHeader]: length }) },
    headersTimeout: ANSWER_MS,
    bodyTimeout: ANSWER_MS,
  } as const
  await askJson(upstream, request)
}

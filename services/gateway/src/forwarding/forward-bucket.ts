import { bytesOf } from '@tideport/service-kit/http/streamed-body'
import { AppError, notFound, unavailable } from '@tideport/service-kit/process/app-error'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'
import type { CredentialWatch } from '../identity/credential-watch.ts'
import { isWaiting } from '../limits/expectations.ts'
import type { TakeStreamSlot } from '../limits/stream-slots.ts'
import { isNotConnected } from '../upstream/connection-failure.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { forwardAnswer } from './forward-answer.ts'
import { requestHeaders } from './forwarded-headers.ts'

interface BucketDeps {
  upstream: Upstream
  takeStreamSlot: TakeStreamSlot
  watch: CredentialWatch
  streamStallSeconds: number
}

export interface ForwardedBucket {
  /** The first segment of the paths. */
  name: string
  forward: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

/** Opens the store only if a bucket is forwarded: `url` is that of the store, followed by the name of the bucket. */
export function openBucket(
  url: string | undefined,
  open: (origin: string) => Upstream,
  deps: Omit<BucketDeps, 'upstream'>,
): ForwardedBucket | undefined {
  if (url === undefined) return undefined
  const { origin, pathname } = new URL(url)
  return createBucketForward(pathname.slice(1), { ...deps, upstream: open(origin) })
}

/** The store sends nothing while it moves a large object into place. */
const WAIT_MS = 300_000
const BODY_TIMEOUT_MS = 60_000

/** Objects have the origin of the console, so a browser must not run them. They override the store's headers. */
const headers = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
}

/**
 * Forwards requests with presigned URLs to the store, with their path, query, and Host header, which the signature
 * covers. The store checks the signature. Other requests get 404, so the bucket cannot be listed or read without one.
 */
function createBucketForward(name: string, deps: BucketDeps): ForwardedBucket {
  const { upstream, takeStreamSlot, watch, streamStallSeconds } = deps

  async function forward(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { raw } = request
    if (!isOfObject(name, request)) throw notFound()
    if (raw.socket.destroyed) return void reply.hijack()
    using open = watch.enter(request)
    const slot = await takeStreamSlot(request, reply)
    if (reply.raw.destroyed) {
      slot?.leave()
      return void reply.hijack()
    }
    if (slot) reply.raw.once('close', slot.leave)
    reply.headers(headers)
    if (isWaiting(raw)) reply.raw.writeContinue()
    const hasBody = Number(raw.headers['content-length'] ?? 0) > 0
    const outgoing = {
      method: request.method as Dispatcher.HttpMethod,
      path: raw.url as string,
      headers: signedHeaders(request),
      // undici accepts any iterable.
      body: hasBody ? (bytesOf(raw, streamStallSeconds * 1000, slot?.signal) as unknown as Buffer) : null,
      headersTimeout: WAIT_MS,
      bodyTimeout: BODY_TIMEOUT_MS,
      reset: false,
    }
    try {
      const [backend] = upstream.inTurn() as [ReturnType<Upstream['inTurn']>[number]]
      await forwardAnswer(backend, { lane: 'bytes', request: outgoing, reply, open, endpoint: { path: '/' } })
    } catch (error) {
      if (reply.raw.destroyed) return void reply.hijack()
      slot?.signal.throwIfAborted()
      if (error instanceof AppError) throw error
      throw unavailable('The object storage is temporarily unavailable', isNotConnected(error) ? undefined : error)
    }
  }
  return { name, forward }
}

/**
 * Whether the target is one object, and the query contains a signature, or a browser asks whether it may send such a
 * request. A body needs its length, because the store would accept a shorter one.
 */
function isOfObject(bucket: string, { method, raw: { url = '', headers } }: FastifyRequest): boolean {
  const [path = '', query = ''] = url.split('?', 2)
  const keys = path.slice(bucket.length + 2).split('/')
  const isKey = path.startsWith(`/${bucket}/`) && keys.every((part) => /^(?!\.{1,2}$)[\w.~-]+$/.test(part))
  if (!isKey || headers.authorization !== undefined || headers['transfer-encoding'] !== undefined) return false
  return method === 'OPTIONS'
    ? headers['access-control-request-method'] !== undefined
    : /(^|&)X-Amz-Signature=/.test(query)
}

function signedHeaders({
  headers: given,
  raw: {
    headers: { host },
  },
}: FastifyRequest) {
  const length = given['content-length']
  return { ...requestHeaders(given), host, ...(length !== undefined && { 'content-length': length }) }
}

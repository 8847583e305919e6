import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { NetworkError } from '../errors.ts'
import { answerOf, write } from '../node-http.ts'
import { isWalrusBlobId } from './blob-id.ts'
import { answerError, EndpointError, silenceError, unlikeWalrus } from './failure.ts'
import { storeMeanings } from './meanings.ts'
import type { WalrusSettings } from './settings.ts'
import { mintToken } from './token.ts'
import { type Deadline, deadlineOf, type Endpoint, wholeOf } from './transport.ts'

const WHAT = 'the publisher'
const CONNECT_MS = 10_000
/** Time for a publisher to accept or reject the body. Without a response, the body is sent. */
const CONTINUE_MS = 1_000
const IDLE_MS = 30_000
const ANSWER_MS = 120_000
const ANSWER_MS_A_MIB = 1_000
const ANSWER_MS_MAX = 30 * 60_000
/** Time to wait for a response that the publisher sent before the connection broke. */
const LAST_WORDS_MS = 1_000

export interface Stored {
  blobId: string
  /** ID of the Sui object; null if the blob already existed. */
  objectId: string | null
  /** The first epoch in which the blob is no longer stored. */
  endEpoch: number
}

export interface Body {
  /** Null: unknown before the end of the body. */
  sizeBytes: number | null
  /** Called once, when the publisher accepts the body. Its errors are passed on. */
  pieces(): AsyncIterable<Buffer>
}

/**
 * Resolves when the blob is certified. Takes no byte of the body before the publisher accepts, so that another one can
 * be tried. @throws EndpointError
 */
export async function putBlob(
  endpoint: Endpoint,
  settings: WalrusSettings,
  body: Body,
  signal: AbortSignal,
): Promise<Stored> {
  signal.throwIfAborted()
  using deadline = deadlineOf(signal)
  deadline.within(CONNECT_MS)
  const request = endpoint.begin(callOf(settings, body), deadline.signal)
  const answered = answerOf(request)
  answered.catch(() => undefined)
  const progress = { sent: 0, bodyError: null as { error: unknown } | null }
  try {
    request.flushHeaders()
    await connected(request)
    const early = await Promise.race([answered, once(request, 'continue'), silence(CONTINUE_MS)])
    const answer = isAnswer(early) ? early : await send(request, body, answered, deadline, progress)
    return storedOf(answer, await wholeOf(answer))
  } catch (error) {
    signal.throwIfAborted()
    if (progress.bodyError) throw progress.bodyError.error
    if (error instanceof NetworkError) throw error
    throw silenceError(WHAT, error, { isLate: deadline.isLate, sent: progress.sent > 0 })
  } finally {
    if (!request.writableEnded) request.destroy()
  }
}

function callOf(settings: WalrusSettings, { sizeBytes }: Body) {
  const { jwtSecret, epochs, isPermanent, sendObjectTo, maxBlobBytes } = settings
  const size = sizeBytes === null ? { max: maxBlobBytes } : { exact: sizeBytes }
  return {
    method: 'PUT' as const,
    path: 'v1/blobs',
    query: {
      epochs: `${epochs}`,
      ...(isPermanent ? { permanent: 'true' } : { deletable: 'true' }),
      ...(sendObjectTo !== undefined && { send_object_to: sendObjectTo }),
    },
    headers: {
      'content-type': 'application/octet-stream',
      expect: '100-continue',
      ...(sizeBytes === null ? { 'transfer-encoding': 'chunked' } : { 'content-length': `${sizeBytes}` }),
      ...(jwtSecret !== undefined && { authorization: `Bearer ${mintToken(jwtSecret, settings, size)}` }),
    },
  }
}

async function connected(request: ClientRequest): Promise<void> {
  const socket = request.socket ?? (await once(request, 'socket'))[0]
  if (socket.connecting) await once(socket, 'encrypted' in socket ? 'secureConnect' : 'connect')
}

const silence = async (ms: number) => {
  const { promise, resolve } = Promise.withResolvers<null>()
  setTimeout(() => resolve(null), ms).unref()
  return await promise
}
const isAnswer = (early: unknown): early is IncomingMessage =>
  typeof early === 'object' && early !== null && 'statusCode' in early

/** Each piece is sent before the next but one is requested. The publisher can respond before the end. */
async function send(
  request: ClientRequest,
  body: Body,
  answered: Promise<IncomingMessage>,
  deadline: Deadline,
  progress: { sent: number; bodyError: { error: unknown } | null },
): Promise<IncomingMessage> {
  let early: IncomingMessage | null = null
  const noted = answered.then((answer) => {
    early = answer
  })
  noted.catch(() => undefined)
  try {
    let written: Promise<void> = Promise.resolve()
    for await (const piece of watched(body.pieces(), progress)) {
      await written
      if (early !== null) return early
      deadline.within(IDLE_MS)
      progress.sent += piece.length
      written = write(request, piece)
    }
    await written
    progress.sent += 1 // the end of the body counts as progress
    request.end()
    deadline.within(Math.min(ANSWER_MS_MAX, ANSWER_MS + (progress.sent / 1024 ** 2) * ANSWER_MS_A_MIB))
    return await answered
  } catch (error) {
    if (progress.bodyError || deadline.signal.aborted) throw error
    // The publisher may have sent a response before it closed the connection.
    const last = await Promise.race([answered.catch(() => null), silence(LAST_WORDS_MS)])
    if (last === null) throw error
    return last
  }
}

async function* watched(pieces: AsyncIterable<Buffer>, progress: { bodyError: { error: unknown } | null }) {
  const iterator = pieces[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => {
        progress.bodyError = { error }
        throw error
      })
      if (next.done) return
      yield next.value
    }
  } finally {
    await iterator.return?.()
  }
}

function storedOf({ statusCode = 0 }: IncomingMessage, body: Buffer): Stored {
  if (statusCode !== 200) throw answerError(storeMeanings, statusCode, body)
  const { newlyCreated, alreadyCertified, error } = parsed(body)
  if (error !== undefined) {
    const says = 'the publisher returned 200 but failed'
    throw new EndpointError({ code: 'copy_failed', says, elsewhere: true, ambiguous: true })
  }
  const { id, blobId, storage } = newlyCreated?.blobObject ?? {}
  const stored = newlyCreated
    ? { blobId, objectId: id, endEpoch: storage?.endEpoch }
    : {
        blobId: alreadyCertified?.blobId,
        objectId: alreadyCertified?.object ?? null,
        endEpoch: alreadyCertified?.endEpoch,
      }
  const isWhole =
    typeof stored.blobId === 'string' &&
    isWalrusBlobId(stored.blobId) &&
    Number.isSafeInteger(stored.endEpoch) &&
    (stored.objectId === null || typeof stored.objectId === 'string')
  if (!isWhole) throw unlikeWalrus('a publisher')
  return stored
}

function parsed(body: Buffer) {
  try {
    const value = JSON.parse(body.toString())
    if (typeof value === 'object' && value !== null) return value
  } catch {}
  throw unlikeWalrus('a publisher')
}

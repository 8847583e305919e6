import type { IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { ByteRange } from '../storage-network.ts'
import type { Endpoints } from './endpoints.ts'
import { answerError, EndpointError, silenceError, unlikeWalrus } from './failure.ts'
import { readMeanings } from './meanings.ts'
import { ask, type Endpoint, wholeOf } from './transport.ts'

const WHAT = 'the aggregator'
/** It reconstructs the complete blob before it sends the first byte. */
const FIRST_BYTE_MS = 30_000
const FIRST_BYTE_MS_A_MIB = 100
const PAUSE_MS = 250

/** A started body, and the size of the complete blob. */
export interface Opened {
  body: IncomingMessage
  sizeBytes: number
}

export interface Reading {
  range?: ByteRange | undefined
  /** Size of the blob, if known. */
  sizeBytes?: number | undefined
  signal: AbortSignal
}

/** Requests a missing blob again by another name, because caches keep a 404. @throws EndpointError `not_found` */
export async function openAt(endpoint: Endpoint, blobId: string, reading: Reading): Promise<Opened> {
  try {
    return await open(endpoint, blobId, reading, {})
  } catch (error) {
    if (!isNotFound(error)) throw error
    return await open(endpoint, blobId, reading, { skip_consistency_check: 'false' })
  }
}

async function open(
  endpoint: Endpoint,
  blobId: string,
  { range, sizeBytes, signal }: Reading,
  query: Record<string, string>,
): Promise<Opened> {
  // The aggregator returns the Accept header as the type, and caches by it.
  const headers = { accept: '*/*', ...(range && { range: `bytes=${range.start}-${range.end}` }) }
  const wantedBytes = range ? range.end - range.start + 1 : (sizeBytes ?? 0)
  const deadlineMs = FIRST_BYTE_MS + (wantedBytes / 1024 ** 2) * FIRST_BYTE_MS_A_MIB
  const call = { method: 'GET' as const, path: `v1/blobs/${blobId}`, query, headers }
  const body = await ask(endpoint, call, { what: WHAT, signal, deadlineMs })
  if (body.statusCode !== (range ? 206 : 200)) throw await refusal(body, signal)
  const whole = range
    ? /^bytes \d+-\d+\/(\d+)$/.exec(body.headers['content-range'] ?? '')?.[1]
    : body.headers['content-length']
  if (whole !== undefined && /^\d+$/.test(whole)) return { body, sizeBytes: Number(whole) }
  // A cache can send the blob in chunks. Then only its end shows the size.
  if (whole === undefined && !range && sizeBytes !== undefined) return { body, sizeBytes }
  body.destroy()
  throw unlikeWalrus('an aggregator')
}

async function refusal(answer: IncomingMessage, signal: AbortSignal): Promise<EndpointError> {
  const { statusCode = 0 } = answer
  if (statusCode < 300) {
    answer.destroy()
    return unlikeWalrus('an aggregator')
  }
  try {
    return answerError(readMeanings, statusCode, await wholeOf(answer))
  } catch (error) {
    signal.throwIfAborted()
    return silenceError(WHAT, error)
  }
}

/** Requests one byte. Null: no aggregator has the blob within `patienceMs`. @throws NetworkError */
export async function sizeOf(
  aggregators: Endpoints,
  blobId: string,
  { signal, sizeBytes, patienceMs = 0 }: { signal: AbortSignal; sizeBytes?: number | undefined; patienceMs?: number },
): Promise<number | null> {
  // An empty blob has no byte to request.
  const range = sizeBytes === 0 ? undefined : { start: 0, end: 0 }
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await aggregators.first(async (endpoint) => {
        const { body, sizeBytes: found } = await openAt(endpoint, blobId, { range, signal })
        body.destroy()
        return found
      })
    } catch (error) {
      if (!isNotFound(error)) throw error
      if (performance.now() + PAUSE_MS > until) return null
      await delay(PAUSE_MS, undefined, { signal })
    }
  }
}

export function isNotFound(error: unknown): boolean {
  return error instanceof EndpointError && error.code === 'not_found'
}

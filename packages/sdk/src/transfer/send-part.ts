import type { Client } from '../client/create-client.ts'
import { explainSilence } from '../client/explain-silence.ts'
import { orAbort } from '../client/or-abort.ts'
import { backoffMs, pause } from '../client/pause.ts'
import { type Bytes, type Put, type PutBytes, putBytes } from '../client/put-bytes.ts'
import { NetworkError, StorageError } from '../errors/transfer-errors.ts'
import type { PartUrls } from './part-urls.ts'
import type { ProgressTracker } from './progress.ts'
import { transferTimeoutMs } from './transfer-timeout.ts'

export interface Part {
  number: number
  size: number
  read: () => Promise<Blob | Bytes>
}

export interface PartSending {
  client: Client
  urls: PartUrls
  tracker: ProgressTracker
  signal: AbortSignal
  isStored: () => Promise<boolean>
}

/**
 * Requests a new URL after a refusal, and retries if the store is busy. Rejects with a `StorageError`, a
 * `NetworkError`, the error of signing, or the signal's reason.
 */
export async function sendPart({ client, urls, tracker, signal, isStored }: PartSending, part: Part): Promise<void> {
  const put = client.putBytes ?? putBytes
  for (let tried = 1; ; tried++) {
    // A URL may expire while the upload waits for the bytes.
    const body = await orAbort(part.read(), signal)
    const target = await urls.of(part.number)
    const onSent = (bytes: number) => tracker.sent(part.number, bytes)
    const failure = await putInTime(put, { ...target, body, signal, onSent }, client.timeoutMs).then(
      judge,
      (error: unknown) => {
        if (error instanceof NetworkError) return error
        throw error
      },
    )
    if (failure === null || (tried > 1 && failure instanceof NetworkError && (await isStored())))
      return tracker.arrived(part.number, part.size)
    tracker.sent(part.number, 0)
    if (tried >= client.attempts || !mayRepeat(failure))
      throw failure instanceof NetworkError ? await explainSilence(target.url, 'storage', failure) : failure
    urls.forget(part.number)
    await pause(backoffMs(tried), signal)
  }
}

/** Rejects with a `NetworkError` if bytes stop leaving, or if no response follows. */
async function putInTime(put: PutBytes, { signal, onSent, ...request }: Put, timeoutMs: number) {
  const size = request.body instanceof Blob ? request.body.size : request.body.length
  const late = new AbortController()
  const either = AbortSignal.any([signal, late.signal])
  let timer: ReturnType<typeof setTimeout> | undefined
  const watch = (sentBytes: number) => {
    clearTimeout(timer)
    const giveUp = () => late.abort(new NetworkError('The storage did not respond in time'))
    timer = setTimeout(giveUp, transferTimeoutMs(timeoutMs, size - sentBytes))
  }
  let isOver = false
  watch(0)
  try {
    const tell = (bytes: number) => {
      if (isOver) return
      watch(bytes)
      onSent(bytes)
    }
    return await orAbort(put({ ...request, signal: either, onSent: tell }), either)
  } finally {
    isOver = true
    clearTimeout(timer)
  }
}

/** The object exists and must not be overwritten: an earlier attempt stored it, but its response was lost. */
function judge({ status, text }: { status: number; text: string }): StorageError | null {
  if ((status >= 200 && status < 300) || status === 412) return null
  // S3 returns 400 for bytes that arrive too slowly.
  return new StorageError('The upload of a part', status === 400 && /RequestTimeout/.test(text) ? 408 : status)
}

const mayRepeat = (failure: StorageError | NetworkError) =>
  failure instanceof NetworkError || [403, 408, 409, 429].includes(failure.status) || failure.status >= 500

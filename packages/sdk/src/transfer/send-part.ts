import type { Client } from '../client/create-client.ts'
import { orAbort } from '../client/or-abort.ts'
import { backoffMs, pause } from '../client/pause.ts'
import { NetworkError, StorageError } from '../errors/transfer-errors.ts'
import type { PartUrls } from './part-urls.ts'
import type { ProgressTracker } from './progress.ts'
import { type Bytes, putBytes } from './put-bytes.ts'

export interface Part {
  number: number
  size: number
  /** Its bytes, read anew for each attempt. */
  read: () => Promise<Blob | Bytes>
}

export interface PartSending {
  client: Client
  urls: PartUrls
  tracker: ProgressTracker
  signal: AbortSignal
  /** Asked when a PUT that was sent again was not answered. */
  isStored: () => Promise<boolean>
}

/**
 * Sends one part until the storage has it. A URL that is refused is signed again; what is only busy or did not answer is
 * asked again. Rejects with a `StorageError`, a `NetworkError`, what the service says to signing, or the signal's reason.
 */
export async function sendPart({ client, urls, tracker, signal, isStored }: PartSending, part: Part): Promise<void> {
  const put = client.putBytes ?? putBytes
  for (let tried = 1; ; tried++) {
    const target = await urls.of(part.number)
    const body = await orAbort(part.read(), signal)
    const onSent = (bytes: number) => tracker.sent(part.number, bytes)
    const failure = await orAbort(put({ ...target, body, signal, onSent }), signal).then(judge, (error: unknown) => {
      if (error instanceof NetworkError) return error
      throw error
    })
    if (failure === null || (tried > 1 && failure instanceof NetworkError && (await isStored())))
      return tracker.arrived(part.number, part.size)
    tracker.sent(part.number, 0)
    if (tried >= client.attempts || !mayRepeat(failure)) throw failure
    urls.forget(part.number)
    await pause(backoffMs(tried), signal)
  }
}

/** An object that nothing may overwrite is there already: of an attempt before, whose answer was lost. */
function judge({ status, text }: { status: number; text: string }): StorageError | null {
  if ((status >= 200 && status < 300) || status === 412) return null
  // S3 says with 400 that bytes came too slowly.
  return new StorageError('A PUT of bytes', status === 400 && /RequestTimeout/.test(text) ? 408 : status)
}

const mayRepeat = (failure: StorageError | NetworkError) =>
  failure instanceof NetworkError || [403, 408, 409, 429].includes(failure.status) || failure.status >= 500

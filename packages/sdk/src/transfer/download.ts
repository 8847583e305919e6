import type { Client } from '../client/create-client.ts'
import { backoffMs, pause } from '../client/pause.ts'
import { ChecksumError, NetworkError, StorageError } from '../errors/transfer-errors.ts'
import { downloadFile, readFile } from '../generated/calls.ts'
import type { FileRecord } from '../generated/shapes.ts'
import { sha256 } from './sha256.ts'
import { fromBase64Url } from './source.ts'

export interface DownloadOptions {
  /** First byte; 0 unless given. With this you go on where an earlier download ended. */
  start?: number | undefined
  /** Before which byte it ends; the file's end unless given. */
  end?: number | undefined
  signal?: AbortSignal | undefined
}

export interface Download {
  file: FileRecord
  /** Of the body. */
  sizeBytes: number
  /**
   * The bytes as they come. A connection that breaks is taken up again where it broke. Of a whole file the SHA-256 is
   * compared where it is known: the stream fails with a `ChecksumError` in place of ending.
   */
  body: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** Opens a file for reading, hot or cold. Rejects with an `ApiError`, `StorageError`, `NetworkError` or the signal's reason. */
export async function download(
  client: Client,
  file: string | { id: string },
  options: DownloadOptions = {},
): Promise<Download> {
  const { signal = new AbortController().signal } = options
  const record = await readFile(client, { fileId: typeof file === 'string' ? file : file.id }, { signal })
  const end = Math.min(options.end ?? record.sizeBytes, record.sizeBytes)
  const start = Math.min(options.start ?? 0, end)
  const bytes = bytesBetween(client, record, start, end, signal)
  return { file: record, sizeBytes: end - start, body: streamOf(bytes) }
}

async function* bytesBetween(
  client: Client,
  file: FileRecord,
  start: number,
  end: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const isWhole = start === 0 && end === file.sizeBytes
  const hash = isWhole ? sha256() : null
  let expected = file.checksumSha256
  let at = start
  for (let failed = 0; at < end; ) {
    try {
      const opened = await open(client, file, at, end, signal)
      expected ??= opened.digest
      for await (const chunk of opened.chunks) {
        if (at + chunk.length > end) throw new ChecksumError('More bytes came than the file has')
        failed = 0
        at += chunk.length
        hash?.update(chunk)
        yield chunk
      }
      if (at < end) throw new NetworkError('The bytes broke off')
    } catch (error) {
      signal.throwIfAborted()
      if (!mayGoOn(error) || ++failed >= client.attempts) throw error
      await pause(backoffMs(failed), signal)
    }
  }
  if (hash && expected !== null && hash.hex() !== expected.toLowerCase()) {
    throw new ChecksumError('The bytes are not those that were stored')
  }
}

/** A URL that expired is asked for again: each opening has one of its own. */
const mayGoOn = (error: unknown) =>
  error instanceof NetworkError ||
  (error instanceof StorageError && ([403, 408, 429].includes(error.status) || error.status >= 500))

async function open(client: Client, { id, sizeBytes }: FileRecord, at: number, end: number, signal: AbortSignal) {
  const { downloadUrl } = await downloadFile(client, { fileId: id }, { signal })
  const silence = new AbortController()
  const either = AbortSignal.any([signal, silence.signal])
  const isPart = at > 0 || end < sizeBytes
  const watch = watchSilence(silence, client.timeoutMs)
  try {
    const headers = isPart ? { range: `bytes=${at}-${end - 1}` } : {}
    const response = await client.fetch(new URL(downloadUrl, client.baseUrl).href, { headers, signal: either })
    if (response.status !== (isPart ? 206 : 200)) {
      await response.body?.cancel()
      throw new StorageError('A read', response.status)
    }
    return { digest: digestOf(response), chunks: chunksOf(response, watch, signal) }
  } catch (error) {
    watch.end()
    if (error instanceof StorageError) throw error
    signal.throwIfAborted()
    throw new NetworkError('No answer came from the storage')
  }
}

async function* chunksOf(
  response: Response,
  watch: ReturnType<typeof watchSilence>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader()
  if (!reader) return watch.end()
  try {
    for (;;) {
      watch.begin()
      const { done, value } = await reader.read()
      watch.end()
      if (done) return
      yield value as Uint8Array<ArrayBuffer>
    }
  } catch {
    signal.throwIfAborted()
    throw new NetworkError('The bytes broke off')
  } finally {
    watch.end()
    await reader.cancel().catch(() => {})
  }
}

/** A connection that gives nothing for so long is given up; a reader who takes his time is not meant. */
function watchSilence(silence: AbortController, ms: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => clearTimeout(timer)
  const begin = () => {
    end()
    timer = setTimeout(() => silence.abort(new DOMException(`No bytes in ${ms} ms`, 'TimeoutError')), ms)
  }
  begin()
  return { begin, end }
}

/** RFC 9530, of the whole file also where a part is answered. */
function digestOf({ headers }: Response): string | null {
  const text = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(headers.get('repr-digest') ?? '')?.[1]
  return text === undefined
    ? null
    : Array.from(fromBase64Url(text), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** As a stream that reads on only when somebody takes. */
export function streamOf(bytes: AsyncGenerator<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await bytes.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await bytes.return(undefined)),
    },
    { highWaterMark: 0 },
  )
}

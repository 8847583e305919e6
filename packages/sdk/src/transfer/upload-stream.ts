import type { Client } from '../client/create-client.ts'
import type { Bytes } from '../client/put-bytes.ts'
import { SourceChangedError } from '../errors/transfer-errors.ts'
import { requestUpload } from '../generated/calls.ts'
import type { WrittenFile } from '../generated/shapes.ts'
import { confirm } from './confirm.ts'
import { chunksOf, cutStream } from './cut-stream.ts'
import { inParallel } from './in-parallel.ts'
import { openPartUrls } from './part-urls.ts'
import { trackProgress } from './progress.ts'
import { countOf, keepOrRemove, ONE_PUT_BYTES, partSizeFor } from './run-upload.ts'
import { type Part, sendPart } from './send-part.ts'
import { type Source, type Stream, sourceOf } from './source.ts'
import { requestOf, type Spooled, type UploadOptions } from './upload-options.ts'

type UploadSource = (client: Client, source: Source, options: UploadOptions) => Promise<WrittenFile>

/**
 * Keeps each part until the storage has it. Buffers a small stream completely, and spools a large one of unknown size.
 */
export async function uploadStream(
  client: Client,
  stream: Stream,
  options: UploadOptions,
  uploadSource: UploadSource,
): Promise<WrittenFile> {
  const { sizeBytes, resume, onToken, signal = new AbortController().signal } = options
  if (resume !== undefined || onToken !== undefined) {
    throw new TypeError('A stream cannot be read again. To resume an upload, pass a source with `slice`')
  }
  if (sizeBytes !== undefined && sizeBytes > ONE_PUT_BYTES)
    return await inOrder(client, stream, sizeBytes, { ...options, signal })
  const chunks = chunksOf(stream, signal)
  const head = await readHead(chunks, sizeBytes ?? ONE_PUT_BYTES)
  if (head.ended) {
    if (sizeBytes !== undefined && head.size !== sizeBytes) throw wrongLength(head.size, sizeBytes)
    const bytes = await new Blob(head.taken).arrayBuffer()
    return await uploadSource(client, sourceOf(bytes), options)
  }
  try {
    if (sizeBytes !== undefined) throw wrongLength(head.size, sizeBytes)
    if (!options.spool) {
      throw new TypeError('A stream above 16 MiB needs `sizeBytes` or `spool`, because the API requires the size')
    }
    return await spooled(await options.spool(resumeAfter(head.taken, chunks), signal), (source) =>
      uploadSource(client, source, options),
    )
  } finally {
    await chunks.return(undefined)
  }
}

async function spooled<T>(source: Spooled, work: (source: Source) => Promise<T>): Promise<T> {
  try {
    return await work(source)
  } finally {
    await source.remove?.()
  }
}

async function inOrder(
  client: Client,
  stream: Stream,
  sizeBytes: number,
  options: UploadOptions & { signal: AbortSignal },
): Promise<WrittenFile> {
  const { signal } = options
  const request = requestOf({}, sizeBytes, options)
  const partSizeBytes = options.partSizeBytes ?? partSizeFor(sizeBytes)
  const answer = await requestUpload(client, { ...request, partSizeBytes }, { signal })
  const { fileId, uploadUrl, parts = [{ partNumber: 1, uploadUrl }] } = answer
  return await keepOrRemove(client, fileId, false, async () => {
    const urls = openPartUrls(client, fileId, countOf(sizeBytes, partSizeBytes), signal, { ...answer, parts })
    const tracker = trackProgress(sizeBytes, options.onProgress)
    await inParallel(partsOf(stream, sizeBytes, partSizeBytes, signal), options.parallel ?? 4, signal, (part, either) =>
      sendPart({ client, urls, tracker, signal: either, isStored: async () => false }, part),
    )
    return await confirm(client, fileId, signal)
  })
}

async function* partsOf(
  stream: Stream,
  sizeBytes: number,
  partSizeBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  let read = 0
  let number = 1
  for await (const bytes of cutStream(stream, partSizeBytes, signal)) {
    read += bytes.length
    if (read > sizeBytes) throw wrongLength(read, sizeBytes)
    yield { number: number++, size: bytes.length, read: async () => bytes }
  }
  if (read !== sizeBytes) throw wrongLength(read, sizeBytes)
}

async function readHead(chunks: AsyncGenerator<Uint8Array>, limit: number) {
  const taken: Bytes[] = []
  let size = 0
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    // A copy, because the producer may reuse its buffer.
    taken.push(new Uint8Array(next.value))
    size += next.value.length
    if (size > limit) return { taken, size, ended: false }
  }
  return { taken, size, ended: true }
}

async function* resumeAfter(taken: Uint8Array[], chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let chunk = taken.shift(); chunk; chunk = taken.shift()) yield chunk
  yield* chunks
}

const wrongLength = (read: number, declared: number) =>
  new SourceChangedError(`The stream has at least ${read} bytes, but sizeBytes is ${declared}`)

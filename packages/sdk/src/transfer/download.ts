import type { Client } from '../client/create-client.ts'
import { explainSilence } from '../client/explain-silence.ts'
import { webUrl } from '../client/web-url.ts'
import { NetworkError, ProtocolError } from '../errors/transfer-errors.ts'
import { downloadFile, readFile } from '../generated/calls.ts'
import type { FileRecord } from '../generated/shapes.ts'
import { leavable, placesIn, readBytes, streamOf } from './read-bytes.ts'

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

/**
 * Opens a file for reading, hot or cold. Given its whole record, as lists have it, it is not asked for that again: a file's
 * bytes never change. Rejects with a `RangeError`, an `ApiError`, `StorageError`, `NetworkError` or the
 * signal's reason.
 */
export async function download(
  client: Client,
  file: string | { id: string },
  options: DownloadOptions = {},
): Promise<Download> {
  return await openDownload(client, file, options)
}

export async function openDownload(
  client: Client,
  file: string | { id: string },
  options: DownloadOptions & { isAuthenticated?: boolean },
): Promise<Download> {
  const { isAuthenticated = false } = options
  const { signal } = options
  const record = await recordOf(client, file, signal)
  const { id: fileId, sizeBytes, checksumSha256 } = record
  const { start, end } = placesIn(sizeBytes, options.start, options.end)
  const ask = async (headers: Record<string, string>, reads: AbortSignal) => {
    const { downloadUrl } = await downloadFile(client, { fileId }, { signal: reads })
    const url = webUrl(downloadUrl, client.baseUrl)
    return await client.fetch(url, { headers, signal: reads }).catch(async () => {
      // What the platform says names the URL, which is a secret.
      throw await explainSilence(url, 'storage', new NetworkError('The storage did not respond'))
    })
  }
  const { left, either } = leavable(signal)
  const reading = { start, end, sizeBytes, checksumSha256, isAuthenticated, ask }
  const body = streamOf(readBytes(client, reading, either), left)
  return { file: record, sizeBytes: end - start, body }
}

async function recordOf(client: Client, file: string | { id: string }, signal?: AbortSignal): Promise<FileRecord> {
  if (typeof file !== 'string' && 'sizeBytes' in file && 'checksumSha256' in file) return file as FileRecord
  return await readRecord(client, typeof file === 'string' ? file : file.id, signal)
}

/** Rejects with a `ProtocolError` where the service responds with another file. */
export async function readRecord(client: Client, fileId: string, signal?: AbortSignal): Promise<FileRecord> {
  const record = await readFile(client, { fileId }, { signal })
  if (String(record.id).toLowerCase() === fileId.toLowerCase()) return record
  throw new ProtocolError('The service returned a different file than requested')
}

import type { Client } from '../client/create-client.ts'
import { explainSilence } from '../client/explain-silence.ts'
import { webUrl } from '../client/web-url.ts'
import { NetworkError, ProtocolError } from '../errors/transfer-errors.ts'
import { downloadFile, readFile } from '../generated/calls.ts'
import type { FileRecord } from '../generated/shapes.ts'
import { leavable, placesIn, readBytes, streamOf } from './read-bytes.ts'

export interface DownloadOptions {
  /** First byte. Default: 0. Use it to continue an earlier download. */
  start?: number | undefined
  /** End of the range, exclusive. Default: the size of the file. */
  end?: number | undefined
  signal?: AbortSignal | undefined
}

export interface Download {
  file: FileRecord
  /** Size of the body. */
  sizeBytes: number
  /**
   * Resumes broken connections. For a complete file with a known SHA-256, the stream fails with a `ChecksumError` on a
   * mismatch.
   */
  body: ReadableStream<Uint8Array<ArrayBuffer>>
}

/**
 * Opens a hot or cold file for reading. With a full `FileRecord`, no request reads the record again: the bytes of a
 * file never change. Rejects with a `RangeError`, `ApiError`, `StorageError`, `NetworkError`, or the signal's reason.
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
      // Platform errors contain the URL, which is a secret.
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

/** Rejects with a `ProtocolError` if the service returns a different file. */
export async function readRecord(client: Client, fileId: string, signal?: AbortSignal): Promise<FileRecord> {
  const record = await readFile(client, { fileId }, { signal })
  if (String(record.id).toLowerCase() === fileId.toLowerCase()) return record
  throw new ProtocolError('The service returned a different file than requested')
}

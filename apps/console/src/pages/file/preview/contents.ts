import { downloadFile, type FileRecord, StorageError } from '@tideport/sdk'
import { bytesUrl } from '../../../api/bytes-url.ts'
import { client } from '../../../api/client.ts'

export interface Contents {
  sizeBytes: number
  /** For an `<img>`. Call `release` when the image is no longer shown. */
  pictureUrl(): Promise<{ url: string; release: () => void }>
  /** For an `<audio>` or `<video>`. When the URL expires, request another. */
  mediaUrl(): Promise<string>
  /** Bytes from `start` (inclusive) to `end` (exclusive), or fewer at the end of the file. */
  read(start: number, end: number, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>>
}

export function plainContents({ id, sizeBytes }: FileRecord): Contents {
  const url = async (signal?: AbortSignal) => bytesUrl(await downloadFile(client(), { fileId: id }, { signal }))
  return {
    sizeBytes,
    pictureUrl: async () => ({ url: await url(), release: () => {} }),
    mediaUrl: () => url(),
    read: async (start, end, signal) => await readRange(await url(signal), start, end, signal),
  }
}

/** Rejects with a `StorageError` unless the response is partial content. */
export async function readRange(url: string, start: number, end: number, signal: AbortSignal) {
  if (end <= start) return new Uint8Array()
  const response = await fetch(url, { headers: { range: `bytes=${start}-${end - 1}` }, signal })
  if (response.status !== 206) {
    await response.body?.cancel()
    throw new StorageError('A read', response.status)
  }
  return new Uint8Array(await response.arrayBuffer())
}

import { downloadFile, type FileRecord } from '@tideport/sdk'
import { bytesUrl } from '../api/bytes-url.ts'
import { client } from '../api/client.ts'
import { callWorker, PrivateError } from './call-worker.ts'
import { noteUse } from './vault-lock.ts'

/** The maximum size that is decrypted in memory in one step. */
export const PIECE_BYTES = 4 * 1024 ** 2
const TRIES = 4

interface Known {
  url: string
  endsAt: number
}

const urls = new Map<string, Known>()

/** A few MiB at most. Rejects with a `PrivateError` or an `ApiError`. */
export async function readPrivate(file: FileRecord, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
  noteUse()
  for (let tried = 1; ; tried++) {
    try {
      return await callWorker('read', { file, url: await urlOf(file.id), start, end })
    } catch (error) {
      // The bytes moved, the URL expired, or the connection broke.
      urls.delete(file.id)
      if (!(error instanceof PrivateError && error.failure === 'storage') || tried === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, 300 * 2 ** tried))
    }
  }
}

async function urlOf(fileId: string): Promise<string> {
  const known = urls.get(fileId)
  if (known !== undefined && known.endsAt > Date.now()) return known.url
  const answer = await downloadFile(client(), { fileId })
  const url = bytesUrl(answer)
  // Renewed after half its lifetime, so that a wrong clock does no harm.
  const lifeMs = Date.parse(answer.expiresAt) - Date.now()
  urls.clear()
  urls.set(fileId, { url, endsAt: Date.now() + lifeMs / 2 })
  return url
}

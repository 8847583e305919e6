import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { Client } from '@tideport/contracts/client/create-client'
import type { File } from '@tideport/contracts/public/files'
import type { Visibility } from '@tideport/contracts/public/vaults'
import { getBytes, putBytes } from './bytes.ts'
import { createFileKey, unwrapFileKey } from './file-key.ts'
import { measure, measured } from './measure-stream.ts'
import { readableBytes, startProgress } from './progress.ts'
import { NONCE_PREFIX_BYTES, open, seal, sealedSizeBytes } from './sealed-file.ts'

/** The file on disk that the demo takes through every state. */
export interface Original {
  path: string
  name: string
  mimeType: string
  sizeBytes: number
  sha256: string
}

/** One upload of it: what was stored, and for a private vault the key that only the client has. */
export interface DemoFile {
  id: string
  visibility: Visibility
  original: Original
  /** SHA-256 of the bytes that were PUT: the original's, or those of its sealed form. */
  storedSha256: string
  wrappingKey: Buffer | null
}

/** The three steps of an upload: request, PUT, confirm. For a private vault the bytes are sealed on the way. */
export async function uploadFile(
  client: Client,
  vault: { id: string; visibility: Visibility },
  original: Original,
  onRequested: (fileId: string) => void,
): Promise<DemoFile> {
  const wrappingKey = vault.visibility === 'private' ? randomBytes(32) : null
  const { key, wrappedKey } = createFileKey(wrappingKey ?? randomBytes(32))
  const noncePrefix = randomBytes(NONCE_PREFIX_BYTES)
  const sizeBytes = wrappingKey ? sealedSizeBytes(original.sizeBytes) : original.sizeBytes

  const upload = await client.requestUpload({
    body: {
      name: original.name,
      mimeType: original.mimeType,
      sizeBytes,
      vaultId: vault.id,
      put: 'once',
      ...(wrappingKey && {
        wrappedKey,
        encryptionIv: noncePrefix.toString('base64'),
        plaintextSizeBytes: original.sizeBytes,
        plaintextChecksumSha256: original.sha256,
      }),
    },
  })
  onRequested(upload.fileId)
  const plaintext = createReadStream(original.path)
  const { stream, done } = measured(
    wrappingKey ? seal(plaintext, key, noncePrefix) : plaintext,
    startProgress('PUT', sizeBytes, process.stdout),
  )
  await putBytes(upload.uploadUrl, Readable.from(stream, { objectMode: false }), upload.headers, sizeBytes)
  await client.confirmUpload({ params: { fileId: upload.fileId } })
  return { id: upload.fileId, visibility: vault.visibility, original, storedSha256: (await done).sha256, wrappingKey }
}

/**
 * Reads the stored bytes behind a URL and compares their SHA-256; decrypts a private file as well and compares that
 * with the original. Throws with a sentence when anything differs.
 */
export async function readAndCompare(file: DemoFile, record: File, url: string): Promise<void> {
  const { stream, done } = measured(await getBytes(url), startProgress('GET', record.sizeBytes, process.stdout))
  const readable = file.wrappingKey
    ? open(
        stream,
        unwrapFileKey(record.wrappedKey ?? '', file.wrappingKey),
        Buffer.from(record.encryptionIv ?? '', 'base64'),
      )
    : stream
  const plain = await measure(readable, { advance() {}, finish() {} })
  const stored = await done
  if (stored.sha256 !== file.storedSha256 || plain.sha256 !== file.original.sha256) {
    throw new Error(`The bytes read back (${readableBytes(stored.sizeBytes)}) are not the bytes that were stored`)
  }
}

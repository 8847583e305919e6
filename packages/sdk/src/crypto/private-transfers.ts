import type { Client } from '../client/create-client.ts'
import { updateFile } from '../generated/calls.ts'
import type { WrittenFile } from '../generated/shapes.ts'
import { chunksOf } from '../transfer/cut-stream.ts'
import { type Download, type DownloadOptions, openDownload, readRecord } from '../transfer/download.ts'
import type { ItemSource, UploadItem } from '../transfer/find-finished.ts'
import { leavable, placesIn, streamOf } from '../transfer/read-bytes.ts'
import { isStream, type Source, sourceOf } from '../transfer/source.ts'
import { readToken } from '../transfer/token.ts'
import { uploadSource } from '../transfer/upload.ts'
import { type UploadManyOptions, type UploadResult, uploadManyBy } from '../transfer/upload-many.ts'
import type { UploadFields, UploadOptions } from '../transfer/upload-options.ts'
import { ReplacedFileError, UnencryptedFileError, UnknownFormatError } from './decryption-errors.ts'
import { unwrapFileKey, type VaultKey, wrapFileKey } from './file-key.ts'
import { type EncryptionFields, encryptSource, openPrivateFile, SEGMENT_BYTES } from './private-file.ts'

export interface PrivateUploadOptions extends Omit<UploadOptions, 'sizeBytes' | 'spool' | 'fields'> {
  vaultKey: VaultKey
  /** Request fields, without those of the encryption. */
  fields?:
    | Omit<UploadFields, 'wrappedKey' | 'encryptionIv' | 'plaintextSizeBytes' | 'plaintextChecksumSha256'>
    | undefined
}

/**
 * Encrypts and uploads a file to a private vault, like `upload`. Needs a re-readable source. Name and type stay
 * unencrypted. Progress counts encrypted bytes, which are 32 more per MiB.
 */
export async function uploadPrivate(
  client: Client,
  source: Blob | ArrayBufferView | ArrayBuffer | Source,
  { vaultKey, ...options }: PrivateUploadOptions,
): Promise<WrittenFile> {
  const original = sourceOf(source)
  const { partSizeBytes, resume } = options
  const { encrypted, fields } = await encryptSource(
    original,
    vaultKey,
    resume === undefined ? undefined : encryptionOfToken(resume),
  )
  const whole = partSizeBytes && Math.ceil(partSizeBytes / SEGMENT_BYTES) * SEGMENT_BYTES
  const ours = { ...options, partSizeBytes: whole, fields: { ...options.fields, ...fields } }
  return await uploadSource(client, encrypted, ours)
}

/**
 * The encryption of an unfinished upload, for `encryptSource`. Throws a TypeError for an invalid token, and for a token
 * of a public file.
 */
export function encryptionOfToken(token: string): Pick<EncryptionFields, 'wrappedKey' | 'encryptionIv'> {
  const { wrappedKey, encryptionIv } = readToken(token)
  if (wrappedKey && encryptionIv) return { wrappedKey, encryptionIv }
  throw new TypeError('The token belongs to a file that is not private')
}

export interface PrivateUploadManyOptions extends Omit<UploadManyOptions, 'spool' | 'fields'> {
  vaultKey: VaultKey
  fields?: PrivateUploadOptions['fields']
}

/** `uploadMany` to a private vault, for re-readable sources. Interrupted uploads continue with their file key. */
export function uploadManyPrivate(
  client: Client,
  items: Iterable<UploadItem> | AsyncIterable<UploadItem>,
  { vaultKey, ...options }: PrivateUploadManyOptions,
): AsyncGenerator<UploadResult> {
  const uploadOne = (by: Client, source: ItemSource, { sizeBytes: _, spool: __, ...own }: UploadOptions) => {
    if (isStream(source) && !('slice' in source))
      throw new TypeError('A stream cannot be encrypted during an upload. Pass a Blob, bytes, or a source with slice()')
    return uploadPrivate(by, source as Source, { ...own, vaultKey })
  }
  return uploadManyBy(uploadOne, client, items, options)
}

/**
 * Opens a private file and decrypts it as a stream; `start` and `end` are plaintext positions. Yields only verified
 * bytes. Rejects, or the stream fails, like `download`, or with a `DecryptionError`. If `file` is a stored record, any
 * other file, even an older version, causes a `ReplacedFileError`.
 */
export async function downloadPrivate(
  client: Client,
  file: string | { id: string; plaintextChecksumSha256?: string | null | undefined },
  { vaultKey, start: from, end: to, signal }: DownloadOptions & { vaultKey: VaultKey },
): Promise<Download> {
  const record = await readRecord(client, typeof file === 'string' ? file : file.id, signal)
  // This tag is unique among all files, and the bytes of a file never change.
  const kept = typeof file === 'string' ? null : file.plaintextChecksumSha256
  if (kept != null && kept !== record.plaintextChecksumSha256)
    throw new ReplacedFileError('The service returned a different file than requested')
  const { left, either } = leavable(signal)
  const opened = await openPrivateFile(encryptionOf(record), vaultKey, async (first, last) => {
    const { body } = await openDownload(client, record, {
      start: first,
      end: last,
      signal: either,
      isAuthenticated: true,
    })
    return chunksOf(body, either)
  })
  const { start, end } = placesIn(opened.plaintextSizeBytes, from, to)
  return { file: record, sizeBytes: end - start, body: streamOf(opened.read(start, end), left) }
}

/** Wraps the file key with another vault key. The encrypted bytes stay unchanged. */
export async function rewrapFile(
  client: Client,
  file: WrittenFile,
  from: VaultKey,
  to: VaultKey,
): Promise<WrittenFile> {
  const wrappedKey = await wrapFileKey(to, await unwrapFileKey(from, encryptionOf(file).wrappedKey))
  return await updateFile(client, { fileId: file.id, wrappedKey })
}

function encryptionOf({
  wrappedKey,
  encryptionIv,
  plaintextSizeBytes,
  plaintextChecksumSha256,
  sizeBytes,
}: WrittenFile) {
  if (wrappedKey == null) throw new UnencryptedFileError('The file is not encrypted')
  if (encryptionIv == null || plaintextSizeBytes == null || plaintextChecksumSha256 == null || sizeBytes === undefined)
    throw new UnknownFormatError('The record of the file is incomplete')
  return { wrappedKey, encryptionIv, plaintextSizeBytes, plaintextChecksumSha256, sizeBytes }
}

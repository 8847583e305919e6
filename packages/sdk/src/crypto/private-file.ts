import { cutStream } from '../transfer/cut-stream.ts'
import { bytesOf, fromBase64Url, readPiece, type Source, toBase64Url } from '../transfer/source.ts'
import { ChangedRecordError, TruncatedError, UnknownFormatError } from './decryption-errors.ts'
import { createFileKey, isSameTag, recordTag, unwrapFileKey, type VaultKey, wrapFileKey } from './file-key.ts'
import { ascii, type Bytes, type Floe, join, OVERHEAD_BYTES, startDecryption, startEncryption } from './floe.ts'

/** Of an encrypted segment; parts of an upload hold whole ones, so each can be encrypted anew. */
export const SEGMENT_BYTES = 1024 ** 2
const ROOM = SEGMENT_BYTES - OVERHEAD_BYTES
/** The same for all files: ids change when a file is uploaded anew. */
const CONTEXT = ascii('tideport private file 1')

/** What the record of a private file says of its encryption. */
export interface EncryptionFields {
  wrappedKey: string
  encryptionIv: string
  plaintextSizeBytes: number
  plaintextChecksumSha256: string
}

/** An empty file is one empty segment. */
const segmentsOf = (plaintextSize: number): number => Math.max(1, Math.ceil(plaintextSize / ROOM))
export const encryptedSize = (plaintextSize: number): number =>
  plaintextSize + segmentsOf(plaintextSize) * OVERHEAD_BYTES

/** Encrypts a source under a new key, or goes on under the one that `begun` says. */
export async function encryptSource(
  source: Source,
  vaultKey: VaultKey,
  begun?: Pick<EncryptionFields, 'wrappedKey' | 'encryptionIv'>,
) {
  const fileKey = begun ? await unwrapFileKey(vaultKey, begun.wrappedKey) : createFileKey()
  const floe = begun
    ? await startDecryption(fileKey, CONTEXT, SEGMENT_BYTES, fromBase64Url(begun.encryptionIv))
    : await startEncryption(fileKey, CONTEXT, SEGMENT_BYTES)
  const fields: EncryptionFields = {
    wrappedKey: begun?.wrappedKey ?? (await wrapFileKey(vaultKey, fileKey)),
    encryptionIv: toBase64Url(floe.header),
    plaintextSizeBytes: source.size,
    plaintextChecksumSha256: await recordTag(fileKey, floe.header, source.size),
  }
  const encrypted: Source = {
    size: encryptedSize(source.size),
    original: source,
    slice: (start, end) => encryptBetween(source, floe, start, end),
  }
  return { encrypted, fields }
}

async function encryptBetween(source: Source, floe: Floe, start: number, end: number): Promise<Bytes> {
  const last = segmentsOf(source.size) - 1
  const segments: Bytes[] = []
  for (let position = start / SEGMENT_BYTES; position * SEGMENT_BYTES < end; position++) {
    const from = position * ROOM
    const plaintext = await bytesOf(await plain(source, from, Math.min(from + ROOM, source.size)))
    segments.push(await floe.encrypt(plaintext, position, position === last))
  }
  return join(...segments)
}

async function plain(source: Source, start: number, end: number): Promise<Bytes | ArrayBuffer> {
  const piece = await readPiece(source, start, end)
  return piece instanceof Blob ? await piece.arrayBuffer() : piece
}

/** Reads encrypted bytes from `start` to before `end`. */
export type ReadEncrypted = (
  start: number,
  end: number,
) => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>

export interface OpenPrivateFile {
  plaintextSizeBytes: number
  /** The plaintext between two places, from the segments that hold it; one segment is in memory at a time. */
  read(start?: number, end?: number): AsyncGenerator<Bytes>
}

/**
 * Opens a private file for reading. Rejects with a `DecryptionError` unless the vault key fits and the fields are those
 * that were written with it; `sizeBytes` is of the encrypted bytes.
 */
export async function openPrivateFile(
  { sizeBytes, ...fields }: EncryptionFields & { sizeBytes: number },
  vaultKey: VaultKey,
  readEncrypted: ReadEncrypted,
): Promise<OpenPrivateFile> {
  const { plaintextSizeBytes: size } = fields
  const fileKey = await unwrapFileKey(vaultKey, fields.wrappedKey)
  const floe = await startDecryption(fileKey, CONTEXT, SEGMENT_BYTES, headerOf(fields.encryptionIv))
  const tag = await recordTag(fileKey, floe.header, size)
  if (!isSameTag(fields.plaintextChecksumSha256, tag) || sizeBytes !== encryptedSize(size)) {
    throw new ChangedRecordError('The record of the file was modified')
  }
  return {
    plaintextSizeBytes: size,
    async *read(start = 0, end = size) {
      const until = Math.min(end, size)
      const first = Math.floor(start / ROOM)
      const last = segmentsOf(size) - 1
      const to = Math.min((Math.max(0, Math.ceil(until / ROOM) - 1) + 1) * SEGMENT_BYTES, sizeBytes)
      // Of an empty file the one segment is read all the same: it says that it is empty.
      if (start >= until && (start > 0 || size > 0)) return
      let position = first
      let at = first * SEGMENT_BYTES
      const encrypted = await readEncrypted(at, to)
      for await (const segment of cutStream(encrypted, SEGMENT_BYTES, new AbortController().signal)) {
        at += segment.length
        if (segment.length < SEGMENT_BYTES && at !== to) throw cutOff()
        const plaintext = await floe.decrypt(segment, position, position === last)
        const from = position * ROOM
        position++
        yield plaintext.subarray(Math.max(0, start - from), Math.max(0, until - from))
      }
      if (at !== to) throw cutOff()
    },
  }
}

const cutOff = () => new TruncatedError('The bytes are truncated')

function headerOf(text: string): Bytes {
  if (!/^[\w-]{99}$/.test(text)) throw new UnknownFormatError('The header has an unknown format')
  return fromBase64Url(text)
}

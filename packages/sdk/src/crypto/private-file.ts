import { cutStream } from '../transfer/cut-stream.ts'
import { bytesOf, fromBase64Url, readPiece, type Source, toBase64Url } from '../transfer/source.ts'
import { ChangedRecordError, TruncatedError, UnknownFormatError } from './decryption-errors.ts'
import { createFileKey, isSameTag, recordTag, unwrapFileKey, type VaultKey, wrapFileKey } from './file-key.ts'
import { ascii, type Bytes, type Floe, join, OVERHEAD_BYTES, startDecryption, startEncryption } from './floe.ts'

/** Size of an encrypted segment. Upload parts contain complete segments, so each part can be encrypted again. */
export const SEGMENT_BYTES = 1024 ** 2
const ROOM = SEGMENT_BYTES - OVERHEAD_BYTES
/** The same for all files, because a file gets a new ID when it is uploaded again. */
const CONTEXT = ascii('tideport private file 1')

/** Encryption fields of a file record. */
export interface EncryptionFields {
  wrappedKey: string
  encryptionIv: string
  plaintextSizeBytes: number
  plaintextChecksumSha256: string
}

/** An empty file has one empty segment. */
const segmentsOf = (plaintextSize: number): number => Math.max(1, Math.ceil(plaintextSize / ROOM))
export const encryptedSize = (plaintextSize: number): number =>
  plaintextSize + segmentsOf(plaintextSize) * OVERHEAD_BYTES

/** Encrypts a source with a new key, or with the key of `begun`. */
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

/** Reads encrypted bytes from `start` (inclusive) to `end` (exclusive). */
export type ReadEncrypted = (
  start: number,
  end: number,
) => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>

export interface OpenPrivateFile {
  plaintextSizeBytes: number
  /** Plaintext from `start` (inclusive) to `end` (exclusive). Holds one segment in memory. */
  read(start?: number, end?: number): AsyncGenerator<Bytes>
}

/**
 * `sizeBytes` is the encrypted size. Rejects with a `DecryptionError` unless the vault key matches and the fields
 * belong together.
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
      // The one segment of an empty file is also read: it proves that the file is empty.
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

import type { RequestUploadInput } from '../generated/shapes.ts'
import type { Progress } from './progress.ts'
import type { Source, Stream } from './source.ts'

type GivenByUpload = 'vaultId' | 'name' | 'mimeType' | 'sizeBytes' | 'partSizeBytes' | 'put'

/** Further fields of the request, as the API takes them, such as `checksumSha256`. */
export type UploadFields = Omit<RequestUploadInput, GivenByUpload>

export interface UploadOptions {
  vaultId: string
  /** The source's own name unless given; without either a TypeError. */
  name?: string | undefined
  /** The source's own type unless given; `application/octet-stream` without either. */
  mimeType?: string | undefined
  /** Of a stream, if it is known. */
  sizeBytes?: number | undefined
  fields?: UploadFields | undefined
  /** Parts under way at once; 4 unless given. */
  parallel?: number | undefined
  /** At least 5 MiB; chosen by the file's size unless given. */
  partSizeBytes?: number | undefined
  signal?: AbortSignal | undefined
  onProgress?: ((progress: Progress) => void) | undefined
  /**
   * Given a token as soon as bytes can be sent. Kept, it lets the upload go on after a crash or a reload: then nothing
   * is removed when the upload fails or is aborted.
   */
  onToken?: ((token: string) => void | Promise<void>) | undefined
  /** Made by itself. With one that you kept, an upload that a crash cut off before its token is the same upload. */
  idempotencyKey?: string | undefined
  /** A token from before: what has arrived is not sent again. The source has to be the same. */
  resume?: string | undefined
  /** Where a stream of unknown size that is larger than 16 MiB goes first, because the API wants to be told its size. */
  spool?: ((stream: Stream, signal: AbortSignal) => Promise<Spooled>) | undefined
}

/** A stream that was read to its end and can be read again. */
export interface Spooled extends Source {
  /** Called when its bytes are not needed any more. */
  remove?(): Promise<void>
}

export interface Plan {
  source: Source
  /** Tells the source from others in a token: of encrypted bytes the plaintext. */
  original: Source
  request: Omit<RequestUploadInput, 'partSizeBytes' | 'put'>
  options: Omit<UploadOptions, 'signal'> & { signal: AbortSignal }
}

/** What the service is asked for; a path stands in place of a name. Throws a TypeError where there is neither. */
export function requestOf(
  source: Pick<Source, 'name' | 'type'>,
  sizeBytes: number,
  { name = source.name, mimeType, fields, vaultId }: UploadOptions,
): Plan['request'] {
  const named = fields?.path === undefined ? { name } : {}
  if ('name' in named && name === undefined) throw new TypeError('Set fields.path or name: the file has no name')
  return { ...fields, ...named, mimeType: mimeType ?? (source.type || 'application/octet-stream'), sizeBytes, vaultId }
}

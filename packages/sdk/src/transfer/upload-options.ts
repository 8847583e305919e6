import type { RequestUploadInput } from '../generated/shapes.ts'
import type { Progress } from './progress.ts'
import type { Source, Stream } from './source.ts'

type GivenByUpload = 'vaultId' | 'name' | 'mimeType' | 'sizeBytes' | 'partSizeBytes' | 'put'

/** Further fields of the upload request, such as `checksumSha256`. */
export type UploadFields = Omit<RequestUploadInput, GivenByUpload>

export interface UploadOptions {
  vaultId: string
  /** Default: the name of the source. Without `name` or `fields.path`, a TypeError. */
  name?: string | undefined
  /** Default: the type of the source, or `application/octet-stream`. */
  mimeType?: string | undefined
  /** Size of a stream, if known. */
  sizeBytes?: number | undefined
  fields?: UploadFields | undefined
  /** ETags of the file at the path that the upload may replace: `"<file ID>"`, or `*`. */
  ifMatch?: string | undefined
  /** `*`: only if no file has the path. */
  ifNoneMatch?: string | undefined
  /** Concurrent parts. Default: 4. */
  parallel?: number | undefined
  /** At least 5 MiB. Default: chosen by the file size. */
  partSizeBytes?: number | undefined
  signal?: AbortSignal | undefined
  onProgress?: ((progress: Progress) => void) | undefined
  /**
   * Called with a token when bytes can be sent. Store it to resume after a crash or reload. With this option, a failed
   * or aborted upload is not deleted.
   */
  onToken?: ((token: string) => void | Promise<void>) | undefined
  /** Default: random. With a stored key, an upload that crashed before its token is the same upload. */
  idempotencyKey?: string | undefined
  /** A stored token. Data that has arrived is not sent again. The source must be the same. */
  resume?: string | undefined
  /** Buffers a stream above 16 MiB of unknown size, because the API requires the size. */
  spool?: ((stream: Stream, signal: AbortSignal) => Promise<Spooled>) | undefined
}

/** A buffered, re-readable stream. */
export interface Spooled extends Source {
  /** Called when the bytes are no longer needed. */
  remove?(): Promise<void>
}

export interface Plan {
  source: Source
  /** Identifies the source in a token; for encrypted bytes, the plaintext. */
  original: Source
  request: Omit<RequestUploadInput, 'partSizeBytes' | 'put'>
  options: Omit<UploadOptions, 'signal'> & { signal: AbortSignal }
}

/** The upload request; a path replaces the name. Throws a TypeError without both. */
export function requestOf(
  source: Pick<Source, 'name' | 'type'>,
  sizeBytes: number,
  { name = source.name, mimeType, fields, vaultId }: UploadOptions,
): Plan['request'] {
  const named = fields?.path === undefined ? { name } : {}
  if ('name' in named && name === undefined) throw new TypeError('Set fields.path or name: the file has no name')
  return { ...fields, ...named, mimeType: mimeType ?? (source.type || 'application/octet-stream'), sizeBytes, vaultId }
}

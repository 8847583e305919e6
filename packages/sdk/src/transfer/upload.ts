import { fillPath, queryOf } from '../client/call.ts'
import type { Client } from '../client/create-client.ts'
import { orAbort } from '../client/or-abort.ts'
import { sendForJson } from '../client/send.ts'
import { contentFields } from '../generated/calls.ts'
import { TooLargeError } from '../generated/error-classes.ts'
import type { WrittenFile } from '../generated/shapes.ts'
import { runUpload } from './run-upload.ts'
import { isStream, readPiece, type Source, type Stream, sourceOf } from './source.ts'
import { type Plan, requestOf, type UploadFields, type UploadOptions } from './upload-options.ts'
import { uploadStream } from './upload-stream.ts'

/** Up to here a file goes in one call, through the service: one round trip in place of three. */
const ONE_CALL_BYTES = 4 * 1024 ** 2

/**
 * Uploads a file and confirms it; the file's record, in `hot`. With a key that may not read files and after a repeated
 * request it has only `id` and `status`. Small ones go in one call, larger ones by one PUT to
 * object storage, large ones in parts side by side. A text is none: `new Blob([text])`. Rejects with an `ApiError`, a `StorageError`, a `NetworkError`, a
 * `SourceChangedError` or the signal's reason.
 */
export async function upload(
  client: Client,
  source: Blob | ArrayBufferView | ArrayBuffer | Source | Stream,
  options: UploadOptions,
): Promise<WrittenFile> {
  if (isStream(source) && !('slice' in source)) return await uploadStream(client, source, options, uploadSource)
  return await uploadSource(client, sourceOf(source as Source), options)
}

export async function uploadSource(client: Client, source: Source, options: UploadOptions): Promise<WrittenFile> {
  const original = source.original ?? source
  const plan: Plan = {
    source,
    original,
    request: requestOf(original, source.size, options),
    options: { ...options, signal: options.signal ?? new AbortController().signal },
  }
  plan.options.signal.throwIfAborted()
  const whole = mayGoWhole(plan) ? await uploadWhole(client, plan) : null
  return whole ?? (await runUpload(client, plan))
}

function mayGoWhole({
  source,
  request: { name = '', path },
  options: { resume, partSizeBytes, onToken, fields = {} },
}: Plan): boolean {
  // Bytes that are encrypted anew each time are another request when it is repeated: they go by a token.
  if (onToken !== undefined && fields.wrappedKey != null) return false
  const known = ['path', 'tags', 'metadata', ...contentFields]
  // In the URL of one call a slash would make a folder, where a name may have none.
  const parts = path === undefined ? [name] : path.split('/')
  const fits = Object.entries(fields).every(([field, value]) => value == null || known.includes(field))
  return (
    resume === undefined &&
    partSizeBytes === undefined &&
    source.size <= ONE_CALL_BYTES &&
    fits &&
    !parts.some((part) => /^\.{0,2}$/.test(part) || part.includes('/'))
  )
}

/** Null where the installation takes less in one call: then it goes by an upload request. */
async function uploadWhole(client: Client, { source, request, options }: Plan): Promise<WrittenFile | null> {
  const { vaultId, name, path = name, mimeType } = request
  const { idempotencyKey = crypto.randomUUID() } = options
  const template = '/api/vaults/:vaultId/content/*path'
  const url = fillPath(template, { vaultId, path }) + queryOf(inQuery(options.fields))
  // Not the key of an upload request, which may have to follow.
  const headers = { 'content-type': mimeType, 'idempotency-key': `${idempotencyKey}:whole` }
  const body = await orAbort(readPiece(source, 0, source.size), options.signal)
  try {
    const sent = { endpoint: `PUT ${template}`, method: 'PUT', path: url, headers, body, repeatable: true }
    const file = await sendForJson<WrittenFile>(client, sent, { signal: options.signal })
    options.onProgress?.({
      sentBytes: source.size,
      totalBytes: source.size,
      bytesPerSecond: null,
      secondsRemaining: null,
    })
    return file
  } catch (error) {
    if (error instanceof TooLargeError && source.size > 0) return null
    throw error
  }
}

/** Fields of an upload request as the query of one call takes them: the path is in the URL. */
function inQuery({ path: _, tags, metadata, ...fields }: UploadFields = {}): [string, unknown][] {
  const pairs = Object.entries(metadata ?? {}).map(([name, value]): [string, unknown] => [`meta.${name}`, value])
  return [...Object.entries(fields), ['tag', tags] as [string, unknown], ...pairs].filter(([, value]) => value != null)
}

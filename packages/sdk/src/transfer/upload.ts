import { conditionsOf, fillPath, queryOf } from '../client/call.ts'
import type { Client } from '../client/create-client.ts'
import { orAbort } from '../client/or-abort.ts'
import { sendForJson } from '../client/send.ts'
import { IdTakenError, NotFoundError, TooLargeError, ValidationFailedError } from '../errors/generated/error-classes.ts'
import { contentFields } from '../generated/calls.ts'
import type { WrittenFile } from '../generated/shapes.ts'
import { confirm } from './confirm.ts'
import { runUpload } from './run-upload.ts'
import { fingerprintOf, isStream, readPiece, type Source, type Stream, sourceOf } from './source.ts'
import { checkSource, readToken, type UploadToken, writeToken } from './token.ts'
import { transferTimeoutMs } from './transfer-timeout.ts'
import { type Plan, requestOf, type UploadFields, type UploadOptions } from './upload-options.ts'
import { uploadStream } from './upload-stream.ts'

/** Files up to this size are uploaded through the service in one call: one round trip instead of three. */
const ONE_CALL_BYTES = 4 * 1024 ** 2
/** Tolerated lead of the local clock over the clock of the service. */
const CLOCK_MS = 3_600_000

/**
 * Uploads and confirms a file, and returns its record, with status `hot`. With a key that may not read files, and after
 * a repeated request, the record has only `id` and `status`. Small files go through the service in one call, larger
 * ones to object storage in one PUT or in parallel parts. For text, use `new Blob([text])`. Rejects with an `ApiError`,
 * `StorageError`, `NetworkError`, `SourceChangedError`, or the signal's reason.
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
  const token = options.resume === undefined ? null : readToken(options.resume)
  if (token && !token.isWhole) return await runUpload(client, plan)
  if (token) await orAbort(checkSource(token, original), plan.options.signal)
  const whole = mayGoWhole(plan) ? await uploadWhole(client, plan, token) : null
  return whole ?? (await runUpload(client, { ...plan, options: { ...plan.options, resume: undefined } }))
}

function mayGoWhole({ source, request: { name = '', path }, options: { partSizeBytes, fields = {} } }: Plan): boolean {
  const known = ['path', 'tags', 'metadata', ...contentFields]
  // In the URL of the one call, a slash would create a folder; a name must not contain slashes.
  const parts = path === undefined ? [name] : path.split('/')
  const fits = Object.entries(fields).every(([field, value]) => value == null || known.includes(field))
  return (
    partSizeBytes === undefined &&
    source.size <= ONE_CALL_BYTES &&
    fits &&
    !parts.some((part) => /^\.{0,2}$/.test(part) || part.includes('/'))
  )
}

/** Returns null if the limit of the installation for one call is lower; an upload request follows. */
async function uploadWhole(client: Client, plan: Plan, token: UploadToken | null): Promise<WrittenFile | null> {
  const { source, request, options } = plan
  const { vaultId, name, path = name, mimeType } = request
  const { signal, idempotencyKey = crypto.randomUUID() } = options
  const isStored = token && (await confirm(client, token.fileId, signal).catch(nullIfMissing))
  if (isStored) return isStored
  const id = token?.fileId ?? (await keepId(plan))
  const template = '/api/vaults/:vaultId/content/*path'
  const url = fillPath(template, { vaultId, path }) + queryOf(inQuery({ ...options.fields, ...(id && { id }) }))
  // Differs from the key of an upload request, which may follow, and from keys for other bytes.
  const headers = { 'content-type': mimeType, 'idempotency-key': `${id ?? idempotencyKey}:${token ? crypto.randomUUID() : 'whole'}`, ...conditionsOf(options) } // biome-ignore format: one line
  const body = await orAbort(readPiece(source, 0, source.size), signal)
  try {
    const sent = { endpoint: `PUT ${template}`, method: 'PUT', path: url, headers, body, repeatable: true }
    const timeoutMs = transferTimeoutMs(client.timeoutMs, source.size)
    const file = await sendForJson<WrittenFile>(client, sent, { signal, timeoutMs })
    options.onProgress?.({
      sentBytes: source.size,
      totalBytes: source.size,
      bytesPerSecond: null,
      secondsRemaining: null,
    })
    return file
  } catch (error) {
    if (error instanceof TooLargeError && source.size > 0) return null
    // The previous attempt arrived after all.
    if (token && error instanceof IdTakenError) return await confirm(client, token.fileId, signal)
    // A local clock that is far ahead creates IDs in the future.
    if (id && error instanceof ValidationFailedError) return null
    throw error
  }
}

/**
 * Encrypting again changes the bytes and so the request; the token stores a file ID for that. Undefined: not needed.
 */
async function keepId({ original, request, options: { onToken, signal, fields } }: Plan): Promise<string | undefined> {
  const { wrappedKey, encryptionIv } = request
  if (!onToken || !wrappedKey || !encryptionIv) return undefined
  const time = (Date.now() - CLOCK_MS).toString(16).padStart(12, '0')
  const fileId = fields?.id ?? `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`
  const fingerprint = await orAbort(fingerprintOf(original), signal)
  const sizes = { sizeBytes: original.size, partSizeBytes: null }
  await onToken(writeToken({ version: 1, fileId, isWhole: true, ...sizes, fingerprint, wrappedKey, encryptionIv }))
  return fileId
}

const nullIfMissing = (error: unknown): null => {
  if (error instanceof NotFoundError) return null
  throw error
}

function inQuery({ path: _, tags, metadata, ...fields }: UploadFields = {}): [string, unknown][] {
  const pairs = Object.entries(metadata ?? {}).map(([name, value]): [string, unknown] => [`meta.${name}`, value])
  return [...Object.entries(fields), ['tag', tags] as [string, unknown], ...pairs].filter(([, value]) => value != null)
}

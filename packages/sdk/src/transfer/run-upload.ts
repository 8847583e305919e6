import type { Client } from '../client/create-client.ts'
import { orAbort } from '../client/or-abort.ts'
import { ApiError } from '../errors/api-error.ts'
import { UploadIncompleteError } from '../errors/generated/error-classes.ts'
import { deleteFile, listUploadedParts, requestUpload } from '../generated/calls.ts'
import type { WrittenFile } from '../generated/shapes.ts'
import { confirm } from './confirm.ts'
import { inParallel } from './in-parallel.ts'
import { openPartUrls, type PartUrls } from './part-urls.ts'
import { trackProgress } from './progress.ts'
import { type Part, sendPart } from './send-part.ts'
import { fingerprintOf, readPiece } from './source.ts'
import { checkSource, readToken, type UploadToken, writeToken } from './token.ts'
import type { Plan } from './upload-options.ts'

const MIB = 1024 ** 2
/** Up to this size, one PUT is as fast as parts. */
export const ONE_PUT_BYTES = 16 * MIB
const PART_BYTES = 8 * MIB
const PARTS_MAX = 10_000

export interface Begun {
  fileId: string
  partSizeBytes: number | null
  arrived: Set<number>
  urls: PartUrls
}

export async function runUpload(client: Client, plan: Plan): Promise<WrittenFile> {
  const { resume, onToken, signal } = plan.options
  const token = resume === undefined ? null : readToken(resume)
  if (token) await orAbort(checkSource(token, plan.original), signal)
  const begun = token ? await resumed(client, plan, token) : await begin(client, plan)
  if (begun === null) return await confirm(client, (token as UploadToken).fileId, signal)
  return await keepOrRemove(client, begun.fileId, resume !== undefined || onToken !== undefined, async () => {
    await sendMissing(client, plan, begun)
    return await confirmed(client, plan, begun)
  })
}

async function begin(client: Client, { source, original, request, options }: Plan): Promise<Begun> {
  const { onToken, idempotencyKey, partSizeBytes: wanted, signal, ifMatch, ifNoneMatch } = options
  const inParts = wanted !== undefined || source.size > ONE_PUT_BYTES
  const partSizeBytes = inParts ? (wanted ?? partSizeFor(source.size)) : null
  const answer = await requestUpload(
    client,
    { ...request, ...(inParts ? { partSizeBytes } : { put: 'once' }) },
    { signal, idempotencyKey, ifMatch, ifNoneMatch },
  )
  const { fileId, uploadUrl, parts = [{ partNumber: 1, uploadUrl }] } = answer
  if (onToken) {
    const { wrappedKey, encryptionIv } = request
    const fingerprint = await orAbort(fingerprintOf(original), signal)
    const token: UploadToken = { version: 1, fileId, sizeBytes: original.size, partSizeBytes, fingerprint }
    if (wrappedKey && encryptionIv) Object.assign(token, { wrappedKey, encryptionIv })
    await onToken(writeToken(token))
  }
  const urls = openPartUrls(client, fileId, countOf(source.size, partSizeBytes), signal, { ...answer, parts })
  return { fileId, partSizeBytes, arrived: new Set(), urls }
}

/**
 * Returns null if all parts have arrived and the upload is confirmed or being confirmed. The list of the service is
 * authoritative.
 */
async function resumed(client: Client, { source, options }: Plan, token: UploadToken): Promise<Begun | null> {
  const { fileId, partSizeBytes } = token
  const urls = openPartUrls(client, fileId, countOf(source.size, partSizeBytes), options.signal)
  const arrived = await arrivedParts(client, fileId, source.size, partSizeBytes, options.signal)
  return arrived && { fileId, partSizeBytes, arrived, urls }
}

async function arrivedParts(
  client: Client,
  fileId: string,
  size: number,
  partSize: number | null,
  signal: AbortSignal,
) {
  try {
    const { parts } = await listUploadedParts(client, { fileId }, { signal })
    const whole = parts.filter(({ partNumber, sizeBytes }) => sizeBytes === sizeOf(partNumber, size, partSize))
    return new Set(whole.map(({ partNumber }) => partNumber))
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'state_conflict' || error.code === 'upload_in_progress'))
      return null
    throw error
  }
}

async function sendMissing(
  client: Client,
  { source, options }: Plan,
  { fileId, partSizeBytes, arrived, urls }: Begun,
): Promise<void> {
  const parts = missingParts(source.size, partSizeBytes, arrived).map(({ number, start, size }): Part => {
    return { number, size, read: () => readPiece(source, start, start + size) }
  })
  const arrivedBytes = [...arrived].reduce((sum, number) => sum + sizeOf(number, source.size, partSizeBytes), 0)
  const tracker = trackProgress(source.size, options.onProgress, arrivedBytes)
  // Some stores close the connection instead of returning 412 for bytes that they already have.
  const isStored = async () =>
    partSizeBytes === null && (await arrivedParts(client, fileId, source.size, null, options.signal))?.has(1) !== false
  await inParallel(parts, options.parallel ?? 4, options.signal, (part, signal) =>
    sendPart({ client, urls, tracker, signal, isStored }, part),
  )
}

async function confirmed(client: Client, plan: Plan, begun: Begun): Promise<WrittenFile> {
  const { signal } = plan.options
  try {
    return await confirm(client, begun.fileId, signal)
  } catch (error) {
    if (!(error instanceof UploadIncompleteError)) throw error
    const arrived = await arrivedParts(client, begun.fileId, plan.source.size, begun.partSizeBytes, signal)
    if (arrived) await sendMissing(client, plan, { ...begun, arrived })
    return await confirm(client, begun.fileId, signal)
  }
}

/**
 * Without a token, the upload cannot be resumed, so it is deleted. Otherwise it would count toward the quota for a day.
 */
export async function keepOrRemove<T>(
  client: Client,
  fileId: string,
  keep: boolean,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isGone = error instanceof ApiError && error.code === 'not_found'
    if (!keep && !isGone) await deleteFile({ ...client, attempts: 1 }, { fileId }, { timeoutMs: 5000 }).catch(() => {})
    throw error
  }
}

export function partSizeFor(size: number): number {
  return Math.max(PART_BYTES, Math.ceil(size / PARTS_MAX / MIB) * MIB)
}

export const countOf = (size: number, partSize: number | null): number =>
  partSize === null ? 1 : Math.max(1, Math.ceil(size / partSize))

const sizeOf = (number: number, size: number, partSize: number | null): number =>
  partSize === null ? size : Math.min(partSize, size - (number - 1) * partSize)

function missingParts(size: number, partSize: number | null, arrived: Set<number>) {
  return Array.from({ length: countOf(size, partSize) }, (_, index) => {
    return { number: index + 1, start: index * (partSize ?? 0), size: sizeOf(index + 1, size, partSize) }
  }).filter(({ number }) => !arrived.has(number))
}

import type { Readable } from 'node:stream'
import type { Answer } from '@tideport/s3-client/response'
import type { Bytes } from '@tideport/s3-client/s3-client'
import { NetworkError } from '../errors.ts'
import type { ByteRange } from '../storage-network.ts'
import type { Bucket } from './bucket.ts'
import { isAbsent } from './failure.ts'
import type { ObjectName } from './keys.ts'

export interface OpenObject {
  body: Readable
  sizeBytes: number
}

/** Null: the object is missing. Archived objects and out-of-range reads throw an `S3Error` (failure.ts). */
export async function getObject(
  bucket: Bucket,
  object: ObjectName,
  signal: AbortSignal,
  range?: ByteRange,
): Promise<OpenObject | null> {
  const headers = range ? { range: `bytes=${range.start}-${range.end}` } : {}
  const request = { method: 'GET', key: object.key, query: versionOf(object), headers } as const
  const answer = await orNull(bucket.open(request, signal))
  if (answer === null) return null
  const { status, headers: got, body } = answer
  // Without a listener, a body that fails before it is read would crash the process; its reader gets the error.
  body.on('error', () => undefined)
  const size = status === 206 ? /\/(\d+)$/.exec(String(got['content-range']))?.[1] : got['content-length']
  const sizeBytes = size === undefined ? Number.NaN : Number(size)
  if (Number.isSafeInteger(sizeBytes) && (status === 206) === (range !== undefined)) return { body, sizeBytes }
  body.destroy()
  throw new NetworkError('copy_failed', 'the bucket returned other bytes than requested')
}

export async function headObject(
  bucket: Bucket,
  object: ObjectName,
  signal: AbortSignal,
): Promise<{ sizeBytes: number; storedAt: Date } | null> {
  const request = { method: 'HEAD', key: object.key, query: versionOf(object) } as const
  const answer = await orNull(bucket.ask(request, signal))
  if (answer === null) return null
  const { 'content-length': size, 'last-modified': storedAt } = answer.headers
  return { sizeBytes: Number(size ?? 0), storedAt: new Date(String(storedAt)) }
}

/** Stores bytes whose SHA-256 the bucket compares. Returns the version, if the bucket has versions. */
export async function putObject(
  bucket: Bucket,
  key: string,
  body: Bytes,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const all = { ...headers, 'x-amz-checksum-sha256': checksumOf(body.sha256) }
  return versionIn(await bucket.send({ method: 'PUT', key, headers: all, body }, signal))
}

/** The version in a response; undefined for a bucket without versions. */
export function versionIn({ headers }: Pick<Answer, 'headers'>): string | undefined {
  const { 'x-amz-version-id': version } = headers
  return typeof version === 'string' && version !== 'null' ? version : undefined
}

export function versionOf({ versionId }: ObjectName): Record<string, string> {
  return versionId === undefined ? {} : { versionId }
}

export const checksumOf = (sha256: string): string => Buffer.from(sha256, 'hex').toString('base64')

export async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

import { S3Error } from '../errors.ts'
import { decodeUtf8, Query } from './query.ts'

export interface Target {
  bucket: string | undefined
  /** Undefined for the service and for a bucket. */
  key: string | undefined
  query: Query
  /** The path as the client sent it, for errors. */
  resource: string
}

const KEY_MAX_BYTES = 1024

/**
 * Reads the request target and the Host header. With a host below one of `domains`, its first labels are the bucket.
 */
export function readTarget(target: string, host: string | undefined, domains: readonly string[]): Target {
  // A target with its own authority could name another host than the one that was routed by.
  if (!target.startsWith('/')) throw new S3Error('InvalidURI')
  const [path = '/', query = ''] = splitOnce(target, '?')
  // Bytes outside ASCII have no meaning in a URL, and Node reads them as Latin-1.
  if (/[^\x21-\x7e]/.test(target)) throw new S3Error('InvalidURI')
  const ofHost = bucketOfHost(host, domains)
  const [first = '', rest] = ofHost === undefined ? splitOnce(path.slice(1), '/') : [ofHost, path.slice(1)]
  const bucket = first === '' ? undefined : decodeUtf8(first)
  const key = rest === undefined || rest === '' ? undefined : readKey(rest)
  if (bucket === undefined && key !== undefined) throw new S3Error('InvalidBucketName')
  return { bucket, key, query: new Query(query), resource: path }
}

function readKey(encoded: string): string {
  const key = decodeUtf8(encoded)
  assertKey(key)
  return key
}

export function assertKey(key: string): void {
  const size = Buffer.byteLength(key)
  if (size > KEY_MAX_BYTES) {
    throw new S3Error('KeyTooLongError', undefined, { Size: String(size), MaxSizeAllowed: String(KEY_MAX_BYTES) })
  }
  // Postgres stores no NUL.
  if (key.includes('\0')) throw new S3Error('InvalidArgument', 'Object keys must not contain NUL')
}

function bucketOfHost(host: string | undefined, domains: readonly string[]): string | undefined {
  const name = host?.replace(/:\d*$/, '').toLowerCase()
  for (const domain of domains) if (name?.endsWith(`.${domain}`)) return name.slice(0, -domain.length - 1)
  return undefined
}

/** Whether the host is one of `domains`, or a bucket below one. */
export function isHostOf(host: string | undefined, domains: readonly string[]): boolean {
  const name = host?.replace(/:\d*$/, '').toLowerCase()
  return name !== undefined && domains.some((domain) => name === domain || name.endsWith(`.${domain}`))
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

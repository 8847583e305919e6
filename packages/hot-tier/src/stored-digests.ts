import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Answer } from '@tideport/s3-client/exchange'
import { isNamed, type StoreCalls } from './store-calls.ts'
import { storeObject } from './store-object.ts'

/** What a store says of an object's bytes, in lower-case hex; null where it says nothing that can be compared. */
export interface StoredDigests {
  sha256: string | null
  /** The ETag, where it may be an MD5: of all bytes, or of the MD5s of `parts`. */
  md5: string | null
  parts: number | null
}

const SHA256 = /^[A-Za-z0-9+/]{43}=$/
const MD5_ETAG = /^"?([0-9a-f]{32})(?:-(\d+))?"?$/i

interface Calls extends Pick<StoreCalls, 'ask' | 'send'> {
  /** The ETag of an object as the bucket lists it; undefined where it lists none. */
  findETag(key: string, signal: AbortSignal): Promise<string | undefined>
}

/**
 * Sends a request of its own, so that whatever gives an object's bytes does not vouch for itself. The bucket's list names
 * the ETag where HEAD names no digest, as a page does that is sent in the store's place. An object that does not exist has
 * no digests.
 */
export async function readDigests({ ask, findETag }: Calls, key: string, signal: AbortSignal): Promise<StoredDigests> {
  const headers = { 'x-amz-checksum-mode': 'ENABLED' }
  const found = await ask('HeadObject', { method: 'HEAD', key, headers }, { signal }).catch((error: unknown) => {
    if (isNamed(error, 'NotFound')) return { headers: {} }
    throw error
  })
  const digests = digestsIn(found.headers)
  if (digests.sha256 !== null || digests.md5 !== null || isByKeyService(found.headers)) return digests
  return digestsIn({ etag: await findETag(key, signal) })
}

/**
 * Whether the store makes the ETags of such objects by MD5 now, as a new object shows whose bytes are known. It proves
 * nothing of an object that was stored under other settings of the bucket.
 */
export async function hasMd5ETags(calls: Calls, form: 'whole' | 'parts', signal: AbortSignal): Promise<boolean> {
  const [key, body, mimeType] = [`tideport-etag-${form}`, 'x', 'text/plain']
  const headers = { 'content-type': mimeType }
  if (form === 'whole') await calls.ask('PutObject', { method: 'PUT', key, headers, body }, { signal })
  else await storeObject(calls, key, { mimeType, body: Readable.from([Buffer.from(body)]) }, signal)
  const { md5, parts } = await readDigests(calls, key, signal)
  if (form === 'whole') return parts === null && md5 === hash('md5', body)
  return parts === 1 && md5 === hash('md5', hash('md5', body, 'buffer'))
}

function digestsIn(headers: Answer['headers']): StoredDigests {
  const checksum = String(headers['x-amz-checksum-sha256'] ?? '')
  const [, md5 = null, parts = null] = MD5_ETAG.exec(String(headers.etag ?? '')) ?? []
  return {
    // The checksum of an object of parts is one of the checksums of its parts.
    sha256: parts === null && SHA256.test(checksum) ? Buffer.from(checksum, 'base64').toString('hex') : null,
    md5: isByKeyService(headers) ? null : (md5?.toLowerCase() ?? null),
    parts: parts === null ? null : Number(parts),
  }
}

function isByKeyService(headers: Answer['headers']): boolean {
  return String(headers['x-amz-server-side-encryption'] ?? '').startsWith('aws:kms')
}

import { hash } from 'node:crypto'
import type { Answer } from '@tideport/s3-client/exchange'
import { triedObject } from './can-put-once.ts'
import { isNamed, type StoreCalls } from './store-calls.ts'

/** What a store says of an object's bytes, in lower-case hex; null where it says nothing that can be compared. */
export interface StoredDigests {
  sha256: string | null
  /** The ETag, where it may be an MD5: of all bytes, or of the MD5s of `parts`. */
  md5: string | null
  parts: number | null
}

const SHA256 = /^[A-Za-z0-9+/]{43}=$/
const MD5_ETAG = /^"?([0-9a-f]{32})(?:-(\d+))?"?$/i

/**
 * Sends a request of its own, so that whatever gives an object's bytes does not vouch for itself. An object that does not
 * exist has no digests.
 */
export async function readDigests(ask: StoreCalls['ask'], key: string, signal?: AbortSignal): Promise<StoredDigests> {
  const headers = { 'x-amz-checksum-mode': 'ENABLED' }
  const found = await ask('HeadObject', { method: 'HEAD', key, headers }, { signal }).catch((error: unknown) => {
    if (isNamed(error, 'NotFound')) return { headers: {} }
    throw error
  })
  return digestsIn(found.headers)
}

/** Whether the store makes ETags by MD5, as an object shows whose bytes are known. */
export async function hasMd5ETags(ask: StoreCalls['ask'], canPutOnce: () => Promise<boolean>): Promise<boolean> {
  await canPutOnce()
  const { md5, parts } = await readDigests(ask, triedObject.key)
  return md5 === hash('md5', triedObject.bytes) && parts === null
}

function digestsIn(headers: Answer['headers']): StoredDigests {
  const of = (name: string) => String(headers[name] ?? '')
  const checksum = of('x-amz-checksum-sha256')
  const [, md5 = null, parts = null] = MD5_ETAG.exec(of('etag')) ?? []
  const isByKeyService = of('x-amz-server-side-encryption').startsWith('aws:kms')
  return {
    sha256: SHA256.test(checksum) ? Buffer.from(checksum, 'base64').toString('hex') : null,
    md5: isByKeyService ? null : (md5?.toLowerCase() ?? null),
    parts: parts === null ? null : Number(parts),
  }
}

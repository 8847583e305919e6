import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Algorithm } from '../checksums/algorithms.ts'
import { algorithms } from '../checksums/algorithms.ts'
import { readChecksums, readTrailing } from '../checksums/read-checksums.ts'
import { S3Error } from '../errors.ts'
import { type Call, readBody } from './call.ts'

/** Of documents, the door itself computes the checksums that need no library. Clients send no others with documents. */
const computed: Partial<Record<Algorithm, (bytes: Buffer) => string>> = {
  crc32: (bytes) => {
    const value = Buffer.alloc(4)
    value.writeUInt32BE(crc32(bytes))
    return value.toString('base64')
  },
  sha1: (bytes) => hash('sha1', bytes, 'base64'),
  sha256: (bytes) => hash('sha256', bytes, 'base64'),
  sha512: (bytes) => hash('sha512', bytes, 'base64'),
  md5: (bytes) => hash('md5', bytes, 'base64'),
}

/** Reads a document whose checksum, if the client sends one, matches. */
export async function readVerified(call: Call, maxBytes: number, { isRequired = false } = {}): Promise<Buffer> {
  const { digests, trailing, contentMd5 } = readChecksums(call.request.headers)
  const hasChecksum = Object.keys(digests).length > 0 || trailing !== null
  if (isRequired && contentMd5 === undefined && !hasChecksum) {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*')
  }
  const bytes = await readBody(call, maxBytes)
  if (contentMd5 !== undefined && hash('md5', bytes, 'base64') !== contentMd5) throw new S3Error('BadDigest')
  const sent = trailing === null ? digests : readTrailing(trailing, call.body.trailer()[`x-amz-checksum-${trailing}`])
  for (const [algorithm, value] of Object.entries(sent) as [Algorithm, string][]) {
    const compute = computed[algorithm]
    if (compute !== undefined && compute(bytes) !== value) throw wrongChecksum(algorithm)
  }
  return bytes
}

export function wrongChecksum(algorithm: Algorithm): S3Error {
  return new S3Error(
    'BadDigest',
    `The ${algorithms[algorithm].name} you specified did not match the calculated checksum.`,
  )
}

import { createHmac, hash } from 'node:crypto'
import type { DecodeOptions } from '../src/body/decode-body.ts'

const SCOPE = '20130524/us-east-1/s3/aws4_request'
const TIME = '20130524T000000Z'
const SIGNING_KEY = Buffer.alloc(32, 7)
const NOTHING = hash('sha256', '')

/** Signs chunks and trailers in their order, as clients do. */
export function createChunkSigner(seed = '0'.repeat(64)) {
  let before = seed
  const next = (kind: string, ...lines: string[]) => {
    const toSign = [`AWS4-HMAC-SHA256-${kind}`, TIME, SCOPE, before, ...lines].join('\n')
    before = createHmac('sha256', SIGNING_KEY).update(toSign).digest('hex')
    return before
  }
  return {
    chunk: (bytes: string) => {
      const signature = next('PAYLOAD', NOTHING, hash('sha256', Buffer.from(bytes, 'latin1')))
      return `${bytes.length.toString(16)};chunk-signature=${signature}\r\n${bytes}${bytes === '' ? '' : '\r\n'}`
    },
    trailer: (lines: string) => {
      const signature = next('TRAILER', hash('sha256', lines))
      return `${lines.replaceAll('\n', '\r\n')}x-amz-trailer-signature:${signature}\r\n\r\n`
    },
  }
}

/** How a request announces a body in chunks. */
export function announced(
  kind: 'signed' | 'signed-trailer' | 'unsigned-trailer',
  sizeBytes: number | string | undefined,
  trailer?: string,
): DecodeOptions {
  const payload = { kind: 'chunks', isSigned: kind !== 'unsigned-trailer', hasTrailer: kind !== 'signed' } as const
  return {
    signature: { payload, signingKey: SIGNING_KEY, seed: { time: TIME, scope: SCOPE, signature: '0'.repeat(64) } },
    headers: {
      ...(sizeBytes !== undefined && { 'x-amz-decoded-content-length': String(sizeBytes) }),
      ...(trailer !== undefined && { 'x-amz-trailer': trailer }),
    },
  }
}

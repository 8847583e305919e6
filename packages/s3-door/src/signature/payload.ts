import { S3Error } from '../errors.ts'

/** `x-amz-content-sha256`: the promise that a request makes about its body. */
export type Payload =
  | { kind: 'sha256'; hex: string }
  | { kind: 'unsigned' }
  | { kind: 'chunks'; isSigned: boolean; hasTrailer: boolean }

export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'

const KNOWN: Readonly<Record<string, Payload>> = {
  [UNSIGNED_PAYLOAD]: { kind: 'unsigned' },
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER': { kind: 'chunks', isSigned: false, hasTrailer: true },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD': { kind: 'chunks', isSigned: true, hasTrailer: false },
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER': { kind: 'chunks', isSigned: true, hasTrailer: true },
}

const ASYMMETRIC = /^STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD(?:-TRAILER)?$/
const SHA256 = /^[0-9a-fA-F]{64}$/

export function readPayload(value: string): Payload {
  const known = Object.hasOwn(KNOWN, value) ? KNOWN[value] : undefined
  if (known !== undefined) return known
  if (SHA256.test(value)) return { kind: 'sha256', hex: value.toLowerCase() }
  if (ASYMMETRIC.test(value)) {
    throw new S3Error('NotImplemented', `The chunk encoding algorithm ${value} is not supported.`)
  }
  throw new S3Error('InvalidArgument', INVALID, { ArgumentName: 'x-amz-content-sha256', ArgumentValue: value })
}

const INVALID =
  'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER, ' +
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, ' +
  'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD, STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER or a valid sha256 value.'

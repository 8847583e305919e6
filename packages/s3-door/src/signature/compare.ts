import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { S3Error } from '../errors.ts'

const SIGNATURE = /^[0-9a-f]{64}$/

/**
 * Returns the signing key with which one of the texts has the given signature. Several keys are valid while a server
 * key is replaced, and several texts because clients differ in their spelling of the same request.
 */
export function matchingKey(
  signature: string,
  texts: readonly (string | Buffer)[],
  signingKeys: readonly Buffer[],
): Buffer | undefined {
  if (!SIGNATURE.test(signature)) return undefined
  const given = Buffer.from(signature, 'hex')
  return signingKeys.find((key) =>
    texts.some((text) => timingSafeEqual(createHmac('sha256', key).update(text).digest(), given)),
  )
}

export interface SignedText {
  accessKeyId: string
  /** `20260131T235959Z`. */
  time: string
  scope: string
  signature: string
  /** Spellings of the request. The first is shown to the client if none matches. */
  canonicalRequests: readonly string[]
}

export function verifyRequest(signed: SignedText, signingKeys: readonly Buffer[]): Buffer {
  const texts = signed.canonicalRequests.flatMap((request) => stringsToSign(request, signed))
  const key = matchingKey(signed.signature, texts, signingKeys)
  if (key !== undefined) return key
  throw new S3Error('SignatureDoesNotMatch', undefined, {
    AWSAccessKeyId: signed.accessKeyId,
    StringToSign: texts[0] as string,
    SignatureProvided: signed.signature,
    CanonicalRequest: signed.canonicalRequests[0] as string,
  })
}

/** Headers are bytes. Most clients sign the bytes that they send; boto signs UTF-8 and sends latin1. */
function stringsToSign(canonicalRequest: string, { time, scope }: SignedText): string[] {
  const bytes = Buffer.from(canonicalRequest, 'latin1')
  const digests = [hash('sha256', bytes)]
  if (bytes.length !== Buffer.byteLength(canonicalRequest)) digests.push(hash('sha256', canonicalRequest))
  return digests.map((digest) => `AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`)
}

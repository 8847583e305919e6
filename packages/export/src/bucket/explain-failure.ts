import { describeFailure } from '@tideport/service-kit/outgoing/describe-failure'
import { NetworkError } from '@tideport/storage-network/errors'
import { answerOf } from '@tideport/storage-network/s3/failure'

/** Sentences for the codes of S3 stores. */
const SENTENCES: Record<string, string> = {
  NoSuchBucket: 'The endpoint has no bucket with this name',
  AccessDenied:
    'The credentials lack a permission: they must allow putting, getting, and deleting objects below the prefix, and listing and aborting multipart uploads',
  InvalidAccessKeyId: 'The endpoint does not know the access key ID',
  XAdminUserNotFound: 'The endpoint does not know the access key ID',
  SignatureDoesNotMatch: 'The secret access key does not match the access key ID',
  ExpiredToken: 'The session token has expired',
  InvalidToken: 'The session token is invalid',
  PermanentRedirect: 'The bucket is in another region, or at another endpoint',
  TemporaryRedirect: 'The bucket is in another region, or at another endpoint',
  AuthorizationHeaderMalformed: 'The bucket is in another region',
  IllegalLocationConstraintException: 'The bucket is in another region',
  QuotaExceeded: 'The bucket is full',
  XMinioStorageFull: 'The bucket is full',
  InsufficientStorage: 'The bucket is full',
  MalformedAnswer: 'The response of the endpoint is not an S3 response',
  BadDigest: 'The bytes were damaged in transit',
}
/** Anything else in the code field is untrusted text. */
const CODE = /^[A-Za-z0-9]{1,64}$/
const REDIRECTED = 'The endpoint returned a redirect, which is not followed'

/**
 * Describes a failed call as a fixed sentence with the status and code of the store, without secrets, addresses, or
 * bodies.
 */
export function explainFailure(error: unknown): string {
  const answer = answerOf(error)
  if (answer !== null) return `${sentenceOf(answer)} (${[answer.status, named(answer.code)].filter(Boolean).join(' ')})`
  if (!(error instanceof NetworkError)) return 'The request to the bucket failed'
  if (error.fault === 'hanging') return 'The endpoint did not respond in time'
  return error.code === 'unreachable'
    ? describeFailure(error.cause)
    : `The request to the bucket failed: ${error.message}`
}

function sentenceOf({ status, code }: { status: number; code: string }): string {
  const known = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined
  if (known !== undefined) return known
  if (status >= 300 && status < 400) return REDIRECTED
  if (status === 401 || status === 403) return 'The endpoint rejected the credentials'
  return status >= 500 || status === 429
    ? 'The endpoint cannot handle the request now'
    : 'The endpoint rejected the request'
}

/** Null without a usable code. */
const named = (code: string): string | null => (CODE.test(code) && !code.startsWith('Http') ? code : null)

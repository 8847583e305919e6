import { describeFailure } from '@tideport/service-kit/outgoing/describe-failure'
import { NetworkError } from '@tideport/storage-network/errors'
import { answerOf } from '@tideport/storage-network/s3/failure'

/** Sentences for the codes of S3 stores. */
const SENTENCES: Record<string, string> = {
  NoSuchBucket: 'There is no such bucket at the endpoint',
  AccessDenied:
    'The credentials may not do this: they need to put, get and delete objects below the prefix, and to list and abort multipart uploads',
  InvalidAccessKeyId: 'The endpoint does not know the access key id',
  XAdminUserNotFound: 'The endpoint does not know the access key id',
  SignatureDoesNotMatch: 'The secret access key is not that of the access key id',
  ExpiredToken: 'The session token has ended',
  InvalidToken: 'The session token is not valid',
  PermanentRedirect: 'The bucket is in another region, or at another endpoint',
  TemporaryRedirect: 'The bucket is in another region, or at another endpoint',
  AuthorizationHeaderMalformed: 'The bucket is in another region',
  IllegalLocationConstraintException: 'The bucket is in another region',
  QuotaExceeded: 'The bucket is full',
  XMinioStorageFull: 'The bucket is full',
  InsufficientStorage: 'The bucket is full',
  MalformedAnswer: 'What the endpoint answered is no answer of S3',
  BadDigest: 'The bytes did not arrive as they were sent',
}
/** Other text in its place may be anything. */
const CODE = /^[A-Za-z0-9]{1,64}$/
const REDIRECTED = 'The endpoint answered with a redirect, which is not followed'

/** A failed call as a fixed sentence with the status and code of the store, without secrets, addresses, or bodies. */
export function explainFailure(error: unknown): string {
  const answer = answerOf(error)
  if (answer !== null) return `${sentenceOf(answer)} (${[answer.status, named(answer.code)].filter(Boolean).join(' ')})`
  if (!(error instanceof NetworkError)) return 'The bucket failed'
  if (error.fault === 'hanging') return 'The endpoint did not answer in time'
  return error.code === 'unreachable' ? describeFailure(error.cause) : `The bucket failed: ${error.message}`
}

function sentenceOf({ status, code }: { status: number; code: string }): string {
  const known = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined
  if (known !== undefined) return known
  if (status >= 300 && status < 400) return REDIRECTED
  if (status === 401 || status === 403) return 'The endpoint refused the credentials'
  return status >= 500 || status === 429
    ? 'The endpoint could not do it now'
    : 'The endpoint did not take what it was sent'
}

/** Without a code the status is enough. */
const named = (code: string): string | null => (CODE.test(code) && !code.startsWith('Http') ? code : null)

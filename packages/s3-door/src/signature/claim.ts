import type { IncomingMessage } from 'node:http'
import { S3Error } from '../errors.ts'
import { readHeaderClaim } from './header-claim.ts'
import { readHeaderLines } from './header-lines.ts'
import type { Payload } from './payload.ts'
import { isQueryClaim, readQueryClaim } from './query-claim.ts'
import { readQuery, splitTarget } from './target.ts'

/** Who a request says to be from. It is a fact only after `verify`. */
export interface Claim {
  accessKeyId: string
  /** The day of the signing key, as `20260131`. */
  date: string
  region: string
  /** The time that the request states. */
  at: Date
  source: 'header' | 'query'
  payload: Payload
  /** Parameters of a presigned query that stand for headers, by their lower-case names, as `x-amz-meta-a`. */
  hoisted: Readonly<Record<string, string>>
  /** Returns the key that made the signature. Throws `SignatureDoesNotMatch`. */
  verify(signingKeys: readonly Buffer[]): Buffer
  /** The first link of the signatures of chunks. */
  seed: ChainSeed
}

export interface ChainSeed {
  /** `20260131T235959Z`. */
  time: string
  scope: string
  signature: string
}

/** A request as received; Node's `IncomingMessage` is one. */
export type ReceivedRequest = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>

export interface SigningContext {
  region: string
  now: Date
}

/** Returns null for a request without a signature. */
export function readClaim(request: ReceivedRequest, context: SigningContext): Claim | null {
  const lines = readHeaderLines(request.rawHeaders)
  const { path, query } = splitTarget(request.url ?? '')
  const parts = { method: request.method ?? '', path, parameters: readQuery(query), lines }
  const authorization = lines.get('authorization')?.[0]
  if (isQueryClaim(parts.parameters)) {
    if (authorization !== undefined) throw twoMechanisms(authorization)
    return readQueryClaim(parts, context)
  }
  return authorization === undefined ? null : readHeaderClaim(authorization, parts, context)
}

function twoMechanisms(authorization: string): S3Error {
  const message =
    'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or ' +
    'the Authorization header should be specified'
  // A header that is valid elsewhere must not come back in a document.
  return new S3Error('InvalidArgument', message, {
    ArgumentName: 'Authorization',
    ArgumentValue: authorization.split(' ', 1)[0] as string,
  })
}

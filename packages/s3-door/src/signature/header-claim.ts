import { S3Error } from '../errors.ts'
import type { Claim, SigningContext } from './claim.ts'
import { verifyRequest } from './compare.ts'
import { type Credential, readCredential } from './credential.ts'
import type { HeaderLines } from './header-lines.ts'
import { readPayload } from './payload.ts'
import { assertHeadersSigned, canonicalRequests, type RequestParts, readSignedHeaders } from './request-parts.ts'
import { basicTime, errorTime, MAX_SKEW_MS, readBasicTime, readDateHeader } from './times.ts'

/** The header `Authorization: AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`. */
export function readHeaderClaim(authorization: string, parts: RequestParts, context: SigningContext): Claim {
  const { credential, signed, signature } = readAuthorization(authorization, context.region)
  const at = readTime(parts.lines)
  assertNotSkewed(at, context.now)
  const time = basicTime(at)
  if (credential.date !== time.slice(0, 8)) {
    throw malformed(
      `Invalid credential date "${credential.date}". This date is not the same as X-Amz-Date: "${time.slice(0, 8)}".`,
    )
  }
  if (parts.lines.has('x-amz-security-token')) throw new S3Error('InvalidToken')
  const promise = parts.lines.get('x-amz-content-sha256')?.[0]
  if (promise === undefined || promise === '') {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256')
  }
  const payload = readPayload(promise)
  assertHeadersSigned(parts.lines, signed)
  const { accessKeyId, date, region, scope } = credential
  const absent = signed.some((name) => !parts.lines.has(name))
  return {
    ...{ accessKeyId, date, region, at, source: 'header', payload, hoisted: {}, seed: { time, scope, signature } },
    verify(signingKeys) {
      const requests = canonicalRequests(parts, parts.parameters, signed, promise)
      const text = { accessKeyId, time, scope, canonicalRequests: requests, signature }
      // A signed header that was removed on the way must not count as an empty one.
      return verifyRequest(text, absent ? [] : signingKeys)
    },
  }
}

interface Authorization {
  credential: Credential
  signed: string[]
  signature: string
}

function readAuthorization(authorization: string, region: string): Authorization {
  const space = authorization.indexOf(' ')
  if (space === -1) {
    throw invalidHeader("Authorization header is invalid -- one and only one ' ' (space) required.", authorization)
  }
  const algorithm = authorization.slice(0, space)
  if (algorithm === 'AWS' || algorithm.startsWith('AWS4-ECDSA')) throw unsupportedMechanism()
  if (algorithm !== 'AWS4-HMAC-SHA256') throw invalidHeader('Unsupported Authorization Type', algorithm)
  const components = authorization.slice(space).replaceAll(/\s/g, '').split(',')
  if (components.length !== 3) {
    throw malformed('the authorization header requires three components: Credential, SignedHeaders, and Signature.')
  }
  const named = new Map(components.map(readComponent))
  const needed = (name: string) => {
    const value = named.get(name)
    if (value === undefined || value === '') throw malformed(`missing ${name}.`)
    return value
  }
  const credential = readCredential(needed('Credential'), region, malformed)
  const signed = readSignedHeaders(needed('SignedHeaders'))
  if (signed === undefined) throw malformed('SignedHeaders must be different lower-case names, separated by ";".')
  return { credential, signed, signature: needed('Signature') }
}

function readComponent(component: string): [name: string, value: string] {
  const [name = '', value, ...more] = component.split('=')
  if (value === undefined || more.length > 0) {
    throw malformed(`the authorization component ${JSON.stringify(component)} is malformed.`)
  }
  return [name, value]
}

function readTime(lines: HeaderLines): Date {
  const amzDate = lines.get('x-amz-date')?.[0]
  const at = amzDate === undefined ? readDateHeader(lines.get('date')?.[0] ?? '') : readBasicTime(amzDate)
  if (at === undefined) {
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header.')
  }
  return at
}

function assertNotSkewed(at: Date, now: Date): void {
  if (Math.abs(at.getTime() - now.getTime()) <= MAX_SKEW_MS) return
  throw new S3Error('RequestTimeTooSkewed', undefined, {
    RequestTime: basicTime(at),
    ServerTime: errorTime(now),
    MaxAllowedSkewMilliseconds: String(MAX_SKEW_MS),
  })
}

export function unsupportedMechanism(): S3Error {
  const message = 'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.'
  return new S3Error('InvalidRequest', message)
}

function malformed(message: string, fields?: Readonly<Record<string, string>>): S3Error {
  return new S3Error('AuthorizationHeaderMalformed', `The authorization header is malformed; ${message}`, fields)
}

/** `value` is not more than the scheme if there is one, because what follows can be a secret of another service. */
function invalidHeader(message: string, value: string): S3Error {
  return new S3Error('InvalidArgument', message, { ArgumentName: 'Authorization', ArgumentValue: value })
}

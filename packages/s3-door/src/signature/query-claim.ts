import { S3Error } from '../errors.ts'
import type { Claim, SigningContext } from './claim.ts'
import { verifyRequest } from './compare.ts'
import { readCredential } from './credential.ts'
import { unsupportedMechanism } from './header-claim.ts'
import { readPayload, UNSIGNED_PAYLOAD } from './payload.ts'
import { assertHeadersSigned, canonicalRequests, type RequestParts, readSignedHeaders } from './request-parts.ts'
import type { Parameter } from './target.ts'
import { errorTime, MAX_SKEW_MS, readBasicTime } from './times.ts'

const NEEDED = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  'X-Amz-Signature',
] as const
const OF_SIGNATURE = [...NEEDED, 'X-Amz-Security-Token'].map((name) => name.toLowerCase())
const OF_VERSION_2 = ['AWSAccessKeyId', 'Signature']

const MAX_EXPIRES_SECONDS = 604_800

export function isQueryClaim(parameters: readonly Parameter[]): boolean {
  return parameters.some(([name]) => (NEEDED as readonly string[]).includes(name) || OF_VERSION_2.includes(name))
}

/** A presigned URL. */
export function readQueryClaim(parts: RequestParts, context: SigningContext): Claim {
  const { parameters, lines } = parts
  if (parameters.some(([name]) => OF_VERSION_2.includes(name))) throw unsupportedMechanism()
  const values = signatureParameters(parameters)
  assertAlgorithm(values['X-Amz-Algorithm'])
  const credential = readCredential(values['X-Amz-Credential'], context.region, (message) =>
    invalid(`Error parsing the X-Amz-Credential parameter; ${message}`),
  )
  if (parameters.some(([name]) => name === 'X-Amz-Security-Token') || lines.has('x-amz-security-token')) {
    throw new S3Error('InvalidToken')
  }
  const at = readTime(values['X-Amz-Date'], credential.date)
  assertCurrent(at, values['X-Amz-Expires'], context.now)
  const signed = readSignedHeaders(values['X-Amz-SignedHeaders'])
  if (signed === undefined) {
    throw invalid('X-Amz-SignedHeaders must be different lower-case names, separated by ";".')
  }
  assertHeadersSigned(lines, signed)
  const hoisted = hoistedHeaders(parameters)
  const promise = lines.get('x-amz-content-sha256')?.[0] ?? hoisted['x-amz-content-sha256'] ?? UNSIGNED_PAYLOAD
  const payload = readPayload(promise)
  const { accessKeyId, date, region, scope } = credential
  const signature = values['X-Amz-Signature']
  const time = values['X-Amz-Date']
  const absent = signed.some((name) => !lines.has(name))
  return {
    ...{ accessKeyId, date, region, at, source: 'query', payload, hoisted, seed: { time, scope, signature } },
    verify(signingKeys) {
      const unsigned = parameters.filter(([name]) => name !== 'X-Amz-Signature')
      // Presigners sign the payload as unsigned. The promise, if any, is covered as a header or parameter.
      const requests = [...new Set([promise, UNSIGNED_PAYLOAD])].flatMap((one) =>
        canonicalRequests(parts, unsigned, signed, one),
      )
      const text = { accessKeyId, time, scope, canonicalRequests: requests, signature }
      return verifyRequest(text, absent ? [] : signingKeys)
    },
  }
}

type SignatureParameters = Readonly<Record<(typeof NEEDED)[number], string>>

function signatureParameters(parameters: readonly Parameter[]): SignatureParameters {
  const entries = NEEDED.map((needed) => {
    const [value, ...more] = parameters.filter(([name]) => name === needed).map(([, text]) => text)
    if (more.length > 0) throw invalid(`The parameter ${needed} is present more than once.`)
    if (value === undefined || value === '') throw invalid(MISSING)
    return [needed, value]
  })
  return Object.fromEntries(entries) as SignatureParameters
}

const MISSING =
  'Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, ' +
  'X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.'

function assertAlgorithm(algorithm: string): void {
  if (algorithm === 'AWS4-HMAC-SHA256') return
  if (algorithm === 'AWS4-ECDSA-P256-SHA256') throw invalid('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"')
  throw invalid('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256 and AWS4-ECDSA-P256-SHA256"')
}

function readTime(text: string, day: string): Date {
  const at = readBasicTime(text)
  if (at === undefined) throw invalid(`X-Amz-Date must be in the ISO8601 Long Format "yyyyMMdd'T'HHmmss'Z'"`)
  if (text.slice(0, 8) !== day) {
    throw invalid(`Invalid credential date "${day}". This date is not the same as X-Amz-Date: "${text.slice(0, 8)}".`)
  }
  return at
}

function assertCurrent(at: Date, expires: string, now: Date): void {
  if (!/^[+-]?\d+$/.test(expires)) throw invalid('X-Amz-Expires should be a number')
  const seconds = Number(expires)
  if (seconds < 0) throw invalid('X-Amz-Expires must be non-negative')
  if (seconds === 0) throw invalid('X-Amz-Expires must be at least 1')
  if (seconds > MAX_EXPIRES_SECONDS) {
    throw invalid(
      'X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than 604800 seconds',
    )
  }
  if (at.getTime() > now.getTime() + MAX_SKEW_MS) throw new S3Error('AccessDenied', 'Request is not valid yet.')
  const end = new Date(at.getTime() + seconds * 1000)
  if (end >= now) return
  throw new S3Error('AccessDenied', 'Request has expired.', {
    'X-Amz-Expires': String(seconds),
    Expires: errorTime(end),
    ServerTime: errorTime(now),
  })
}

/** SDKs move headers of a presigned request to its query. */
function hoistedHeaders(parameters: readonly Parameter[]): Record<string, string> {
  const hoisted: Record<string, string> = {}
  for (const [name, value] of parameters) {
    const header = name.toLowerCase()
    if (!header.startsWith('x-amz-') || OF_SIGNATURE.includes(header)) continue
    if (header in hoisted) throw new S3Error('InvalidRequest', `The parameter ${header} is present more than once.`)
    hoisted[header] = value
  }
  return hoisted
}

const invalid = (message: string) => new S3Error('AuthorizationQueryParametersError', message)

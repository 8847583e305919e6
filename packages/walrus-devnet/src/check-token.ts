import { createHmac, timingSafeEqual } from 'node:crypto'
import { Refusal } from './refusals.ts'

export interface TokenRules {
  secret: string
  /** Required difference of `exp` and `iat`; not checked when missing. */
  seconds?: number | undefined
}

interface Claims {
  iat?: number
  exp?: number
  jti?: string
  epochs?: number
  max_epochs?: number
  size?: number
  max_size?: number
  send_object_to?: string
}

export interface Asked {
  epochs: number
  sendObjectTo: string | null
  /** Null if the request does not declare its size. */
  sizeBytes: number | null
}

/** Throws `Refusal` unless a token allows the request. Each token is valid once. */
export function tokenCheck(rules: TokenRules): (authorization: string | undefined, asked: Asked) => void {
  const used = new Map<string, number>()
  return (authorization, asked) => {
    const claims = readToken(authorization, rules.secret)
    checkClaims(claims, rules, asked)
    const now = Date.now() / 1000
    for (const [jti, exp] of used) if (exp < now) used.delete(jti)
    if (used.has(claims.jti)) throw Refusal.of('TOKEN_ALREADY_USED', 'the JWT token was already used')
    used.set(claims.jti, claims.exp)
  }
}

function readToken(authorization: string | undefined, secret: string): Claims & { exp: number; jti: string } {
  if (authorization === undefined) throw Refusal.plain(400, 'Header of type `authorization` was missing')
  const [, head, body, signature] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization) ?? []
  if (head === undefined || body === undefined || signature === undefined) throw invalid()
  const key = secret.startsWith('0x') ? Buffer.from(secret.slice(2), 'hex') : Buffer.from(secret)
  const expected = createHmac('sha256', key).update(`${head}.${body}`).digest()
  const given = Buffer.from(signature, 'base64url')
  const isOurs = parse(head).alg === 'HS256' && given.length === expected.length && timingSafeEqual(given, expected)
  if (!isOurs) throw Refusal.of('INVALID_SIGNATURE', 'the signature on the token is invalid')
  const { exp, jti, ...claims }: Claims = parse(body)
  if (typeof exp !== 'number' || typeof jti !== 'string') throw invalid()
  return { exp, jti, ...claims }
}

function checkClaims(claims: Claims & { exp: number }, { seconds }: TokenRules, asked: Asked): void {
  const { iat, exp, epochs, max_epochs: maxEpochs, size, max_size: maxSize } = claims
  if (exp < Date.now() / 1000) throw Refusal.of('EXPIRED_SIGNATURE', 'the signature on the token has expired')
  if (seconds !== undefined && (iat === undefined || exp - iat !== seconds)) {
    throw Refusal.of('INVALID_EXPIRATION', 'the expiration in the query does not match the token')
  }
  const isTwofold = (size !== undefined && maxSize !== undefined) || (epochs !== undefined && maxEpochs !== undefined)
  if (isTwofold) throw Refusal.of('INCONSISTENT_TOKEN', 'the token is inconsistent')
  if ((epochs !== undefined && epochs !== asked.epochs) || asked.epochs > (maxEpochs ?? asked.epochs)) {
    throw Refusal.of('INVALID_EPOCHS', 'the epochs field in the query does not match the token')
  }
  const { sizeBytes } = asked
  if (sizeBytes !== null && ((size !== undefined && size !== sizeBytes) || sizeBytes > (maxSize ?? sizeBytes))) {
    throw Refusal.of('INVALID_SIZE', 'the size of the request does not match the size specified in the token')
  }
  if (claims.send_object_to !== undefined && claims.send_object_to !== asked.sendObjectTo) {
    throw Refusal.of('INVALID_SEND_OBJECT_TO', 'the send_object_to field in the query does not match the token')
  }
}

function parse(part: string) {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString())
  } catch {
    throw invalid()
  }
}

const invalid = () => Refusal.of('INVALID_TOKEN', 'the JWT token is invalid')

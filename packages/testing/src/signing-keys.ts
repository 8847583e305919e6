import { generateKeyPair, type JsonWebKey, sign } from 'node:crypto'
import { promisify } from 'node:util'

export const tokenAlgorithms = ['RS256', 'ES256', 'EdDSA'] as const
export type TokenAlgorithm = (typeof tokenAlgorithms)[number]

/** One private key per algorithm, as JWKs with `alg`, `use`, and `kid`. */
export type SigningKeys = Record<TokenAlgorithm, JsonWebKey & { kid: string }>

export interface SignOptions {
  /** Algorithm of the signing key. Defaults to RS256. */
  algorithm?: TokenAlgorithm
  /** Merged over `{ alg, kid }`, so it can contain false values. `undefined` removes a member. */
  header?: Record<string, unknown>
  /** Encoding of header and claims. Defaults to base64url. */
  encoding?: 'base64' | 'base64url'
}

const generate = promisify(generateKeyPair)

export async function generateSigningKeys(): Promise<SigningKeys> {
  const [rsa, ec, ed] = await Promise.all([
    generate('rsa', { modulusLength: 2048 }),
    generate('ec', { namedCurve: 'P-256' }),
    generate('ed25519'),
  ])
  const jwk = (alg: TokenAlgorithm, { privateKey }: typeof rsa) => {
    return { ...privateKey.export({ format: 'jwk' }), alg, use: 'sig', kid: `${alg}-${crypto.randomUUID()}` }
  }
  return { RS256: jwk('RS256', rsa), ES256: jwk('ES256', ec), EdDSA: jwk('EdDSA', ed) }
}

/** Signs a compact JWS with any claims and header. Libraries do not create tokens that a verifier must reject. */
export function signToken(
  keys: SigningKeys,
  claims: Record<string, unknown> | Buffer,
  options: SignOptions = {},
): string {
  const { algorithm = 'RS256', header = {} } = options
  const key = keys[algorithm]
  const content = [{ alg: algorithm, kid: key.kid, ...header }, claims]
  const input = content.map((part) => toBytes(part).toString(options.encoding ?? 'base64url')).join('.')
  const digest = algorithm === 'EdDSA' ? null : 'sha256'
  const signature = sign(digest, Buffer.from(input), { key, format: 'jwk', dsaEncoding: 'ieee-p1363' })
  return `${input}.${signature.toString('base64url')}`
}

function toBytes(part: Record<string, unknown> | Buffer): Buffer {
  return Buffer.isBuffer(part) ? part : Buffer.from(JSON.stringify(part))
}

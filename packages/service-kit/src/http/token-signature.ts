import { constants, type KeyObject, type SigningOptions, sign, verify } from 'node:crypto'
import type { JWTClaimVerificationOptions, JWTPayload } from 'jose'
import { UnsecuredJWT } from 'jose/jwt/unsecured'

/** Runs in the calling thread: WebCrypto waits for a libuv thread, and a stalled disk can block all (ADR 0015). */
export type TokenAlgorithm = keyof typeof schemes

interface Scheme {
  digest: string | null
  keyType: string
  curve?: string
  options?: SigningOptions
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
const rsa = (bits: number, options?: SigningOptions): Scheme => ({
  digest: `sha${bits}`,
  keyType: 'rsa',
  ...(options && { options }),
})
const ecdsa = (bits: number, curve: string): Scheme => ({ digest: `sha${bits}`, keyType: 'ec', curve })

const schemes = {
  RS256: rsa(256),
  RS384: rsa(384),
  RS512: rsa(512),
  PS256: rsa(256, pss),
  PS384: rsa(384, pss),
  PS512: rsa(512, pss),
  ES256: ecdsa(256, 'prime256v1'),
  ES384: ecdsa(384, 'secp384r1'),
  ES512: ecdsa(512, 'secp521r1'),
  EdDSA: { digest: null, keyType: 'ed25519' },
} as const satisfies Record<string, Scheme>

/** Shorter keys are rejected (RFC 7518 §3.3). */
const RSA_LEAST_BITS = 2048

/** Returns the signature in base64url. */
export function signInput(input: string, key: KeyObject): string {
  return sign(null, Buffer.from(input), key).toString('base64url')
}

/** Whether a token's last segment signs the two before it with this algorithm and this public key. */
export function isSignedBy(token: string, algorithm: string, key: KeyObject): boolean {
  if (!Object.hasOwn(schemes, algorithm)) return false
  const { digest, keyType, curve, options }: Scheme = schemes[algorithm as TokenAlgorithm]
  const { modulusLength = RSA_LEAST_BITS, namedCurve } = key.asymmetricKeyDetails ?? {}
  if (key.type !== 'public' || key.asymmetricKeyType !== keyType || modulusLength < RSA_LEAST_BITS) return false
  if (curve !== undefined && namedCurve !== curve) return false
  const end = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  return verify(digest, Buffer.from(token.slice(0, end)), { key, dsaEncoding: 'ieee-p1363', ...options }, signature)
}

const UNSECURED = Buffer.from('{"alg":"none"}').toString('base64url')

/** The claims of a token with a verified signature. Throws one of jose's errors unless the claims match `wanted`. */
export function readClaims(token: string, wanted: JWTClaimVerificationOptions): JWTPayload {
  const [, payload] = token.split('.')
  return UnsecuredJWT.decode(`${UNSECURED}.${payload}.`, wanted).payload
}

import { generateKeyPairSync } from 'node:crypto'
import { createPrincipalSigner, createPrincipalVerifier } from '@tideport/service-kit/http/principal-token'

/** A new key pair by which a gateway tells services who is calling, with either half as settings take it. */
export function createPrincipalKeys() {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const { d: _private, ...publicJwk } = jwk
  const named = { kid: 'test', alg: 'EdDSA' }
  /** IDENTITY_TOKEN_PRIVATE_KEY. */
  const privateKey = JSON.stringify({ ...jwk, ...named })
  /** IDENTITY_TOKEN_PUBLIC_KEYS. */
  const publicKeys = JSON.stringify({ keys: [{ ...publicJwk, ...named }] })
  return {
    privateKey,
    publicKeys,
    /** Signs as the gateway does. */
    sign: createPrincipalSigner({ privateKey }),
    /** Reads tokens as the named service does. */
    verifierFor: (audience: string) => createPrincipalVerifier({ publicKeys, audience }),
  }
}

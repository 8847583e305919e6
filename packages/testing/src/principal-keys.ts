import { generateKeyPairSync } from 'node:crypto'
import { createPrincipalSigner, createPrincipalVerifier } from '@tideport/service-kit/http/principal-token'

/** A new key pair for the tokens in which a gateway names the caller to services; both keys are in settings format. */
export function createPrincipalKeys() {
  const jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const { d: _private, ...publicJwk } = jwk
  const named = { kid: 'test', alg: 'EdDSA' }
  const privateKey = JSON.stringify({ ...jwk, ...named })
  const publicKeys = JSON.stringify({ keys: [{ ...publicJwk, ...named }] })
  return {
    privateKey,
    publicKeys,
    sign: createPrincipalSigner({ privateKey }),
    verifierFor: (audience: string) => createPrincipalVerifier({ publicKeys, audience }),
  }
}

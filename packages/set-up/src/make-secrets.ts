import { generateKeyPairSync, type JsonWebKey, randomBytes, randomUUID } from 'node:crypto'

/** The keys of an installation; services check them (docs/reference/settings.md). */
export type Keys = {
  /** An Ed25519 private key with a `kid`. */
  identityTokenKey: JsonWebKey & { kid: string }
  /** 32 bytes each, in base64. */
  downloadTokenKey: string
  webhookSecretKey: string
  exportSecretKey: string
  s3ApiSecretKey: string
}

export function makeKeys(): Keys {
  const { privateKey } = generateKeyPairSync('ed25519')
  return {
    identityTokenKey: { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'EdDSA', use: 'sig' },
    downloadTokenKey: randomBytes(32).toString('base64'),
    webhookSecretKey: randomBytes(32).toString('base64'),
    exportSecretKey: randomBytes(32).toString('base64'),
    s3ApiSecretKey: randomBytes(32).toString('base64'),
  }
}

/** 192 random bits, in characters that need no escaping. */
export function makePassword(): string {
  return randomBytes(24).toString('base64url')
}

/** A JWKS without private parts, to verify signatures of `key`. */
export function publicKeySet({ d: _private, ...publicKey }: Keys['identityTokenKey']): { keys: JsonWebKey[] } {
  return { keys: [publicKey] }
}

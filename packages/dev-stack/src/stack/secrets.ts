import { generateKeyPairSync, type JsonWebKey, randomBytes, randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { writeAtomically } from '../write-atomically.ts'

/** All secrets of a local stack but the superuser's of Postgres, which is kept with its cluster. */
export type Secrets = {
  /** Passwords of the database roles. */
  roles: { auth: string; files: string; webhooks: string }
  s3: { accessKeyId: string; secretAccessKey: string }
  /** An Ed25519 private key with a `kid`. */
  identityTokenKey: JsonWebKey & { kid: string }
  /** 32 bytes in base64 each. */
  downloadTokenKey: string
  webhookSecretKey: string
}

/** Reads the secrets, or makes and keeps them when there are none yet. */
export async function loadSecrets(file: string): Promise<Secrets> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const secrets = makeSecrets()
  await writeAtomically(file, JSON.stringify(secrets, null, 2))
  return secrets
}

function makeSecrets(): Secrets {
  const { privateKey } = generateKeyPairSync('ed25519')
  const password = () => randomBytes(24).toString('base64url')
  return {
    roles: { auth: password(), files: password(), webhooks: password() },
    s3: { accessKeyId: `tideport-${randomBytes(4).toString('hex')}`, secretAccessKey: password() },
    identityTokenKey: { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), alg: 'EdDSA', use: 'sig' },
    downloadTokenKey: randomBytes(32).toString('base64'),
    webhookSecretKey: randomBytes(32).toString('base64'),
  }
}

/** What checks signatures made with `key`: a JWKS without the private part. */
export function publicKeySet({ d: _private, ...publicKey }: Secrets['identityTokenKey']): { keys: JsonWebKey[] } {
  return { keys: [publicKey] }
}

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Keys, makeKeys, makePassword } from '@tideport/set-up/make-secrets'
import type { Owner } from '@tideport/set-up/prepare-database'
import { writeAtomically } from '../file-system/write-atomically.ts'

/** All secrets of a local stack, except the password of the Postgres superuser, which is stored with its cluster. */
export type Secrets = Keys & {
  roles: Record<Owner, string>
  s3: { accessKeyId: string; secretAccessKey: string }
  nats: string
}

/** Reads the secrets. Creates and stores missing ones, including those that an older version did not have. */
export async function loadSecrets(file: string): Promise<Secrets> {
  const kept = await readKept(file)
  const made = makeSecrets()
  const secrets = { ...made, ...kept }
  if (Object.keys(made).some((name) => !(name in kept))) await writeAtomically(file, JSON.stringify(secrets, null, 2))
  return secrets
}

export function makeSecrets(): Secrets {
  return {
    ...makeKeys(),
    roles: { auth: makePassword(), files: makePassword(), webhooks: makePassword() },
    s3: { accessKeyId: `tideport-${randomBytes(4).toString('hex')}`, secretAccessKey: makePassword() },
    nats: makePassword(),
  }
}

async function readKept(file: string): Promise<Partial<Secrets>> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    if (!(error instanceof SyntaxError)) throw error
    // Its cause would quote secrets.
    throw new Error(`${file} is damaged. Restore it from a backup of the data directory: it has the keys of the data.`)
  }
}

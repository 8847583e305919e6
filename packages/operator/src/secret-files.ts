import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeKeys, makePassword, publicKeySet } from '@tideport/set-up/make-secrets'
import { brokerConfiguration, brokerRights } from './broker-users.ts'

/** Writes a folder per process, with a file per secret (`NAME_FILE`), once. `postgres`, `nats`: host and port. */
export async function keepSecretFiles(
  dir: string,
  { postgres, nats }: { postgres: string; nats: string },
): Promise<void> {
  await keepOnce(dir, 'complete', secretsOf(postgres))
  await keepOnce(dir, 'complete-nats-users', brokerSecrets(nats))
  await keepOnce(dir, 'complete-exports', exportSecrets())
  const { S3_API_SECRET_KEYS } = keySettings()
  await keepOnce(dir, 'complete-s3-api', { auth: { S3_API_SECRET_KEYS } })
  // `operator people` writes the configuration of Compose's identity provider to this folder.
  const DATABASE_URL = `postgres://sign_in:${makePassword()}@${postgres}/sign_in`
  await keepOnce(dir, 'complete-sign-in', { 'sign-in': { DATABASE_URL } })
}

type Secrets = Record<string, Record<string, string>>

/** The images of these processes run as other users. All other processes run as the writer of the files. */
const otherUsers = ['postgres', 'nats']

async function keepOnce(dir: string, marker: string, secretsByReader: Secrets): Promise<void> {
  const finished = join(dir, marker)
  if (await stat(finished).catch(() => null)) return
  // Overwrites leftovers of an interrupted run, which were never used.
  for (const [reader, secrets] of Object.entries(secretsByReader)) {
    await mkdir(join(dir, reader), { recursive: true, mode: 0o755 })
    for (const [name, value] of Object.entries(secrets)) {
      const file = join(dir, reader, name)
      await replaceFile(file, `${value}\n`, otherUsers.includes(reader) ? 0o444 : 0o600)
    }
  }
  await writeFile(finished, '')
}

/** Replaces a file, so that readers see the old or the new content. */
export async function replaceFile(file: string, content: string, mode: number): Promise<void> {
  await rm(`${file}.tmp`, { force: true }) // A leftover of an interrupted run may be read-only.
  await writeFile(`${file}.tmp`, content, { mode })
  await rename(`${file}.tmp`, file)
}

function secretsOf(postgres: string): Secrets {
  const { IDENTITY_TOKEN_PRIVATE_KEY, IDENTITY_TOKEN_PUBLIC_KEYS, DOWNLOAD_TOKEN_KEYS, WEBHOOK_SECRET_KEYS } =
    keySettings()
  const url = (role: string, password: string) => `postgres://${role}:${password}@${postgres}/tideport`
  const [superuser, auth, files, webhooks] = ['postgres', 'auth', 'files', 'webhooks'].map((role) => {
    const password = makePassword()
    return { password, url: url(role, password) }
  }) as [Role, Role, Role, Role]
  const s3 = { AWS_ACCESS_KEY_ID: 'tideport', AWS_SECRET_ACCESS_KEY: makePassword() }
  const owners = { AUTH_DATABASE_URL: auth.url, FILES_DATABASE_URL: files.url, WEBHOOKS_DATABASE_URL: webhooks.url }
  return {
    postgres: { POSTGRES_PASSWORD: superuser.password },
    s3: { ROOT_ACCESS_KEY: s3.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: s3.AWS_SECRET_ACCESS_KEY },
    'set-up': { ADMIN_DATABASE_URL: superuser.url, ...owners, ...s3 },
    gateway: { IDENTITY_TOKEN_PRIVATE_KEY },
    auth: { DATABASE_URL: auth.url, IDENTITY_TOKEN_PUBLIC_KEYS },
    files: { DATABASE_URL: files.url, ...s3, IDENTITY_TOKEN_PUBLIC_KEYS, DOWNLOAD_TOKEN_KEYS },
    operator: {
      DATABASE_URL: files.url,
      ...s3,
      WEBHOOKS_DATABASE_URL: webhooks.url,
      WEBHOOK_SECRET_KEYS,
    },
    sync: { DATABASE_URL: files.url, ...s3 },
    eviction: { DATABASE_URL: files.url, ...s3 },
    // `set-up account` writes the first API key to this folder.
    client: {},
    webhooks: { DATABASE_URL: webhooks.url, IDENTITY_TOKEN_PUBLIC_KEYS, WEBHOOK_SECRET_KEYS },
  }
}

function exportSecrets(): Secrets {
  const { EXPORT_SECRET_KEYS } = keySettings()
  return Object.fromEntries(['files', 'eviction', 'operator'].map((reader) => [reader, { EXPORT_SECRET_KEYS }]))
}

/** The server reads its part as configuration. */
function brokerSecrets(nats: string): Secrets {
  const clients = Object.keys(brokerRights)
  const passwords = Object.fromEntries(clients.map((client) => [client, makePassword()]))
  const urlOf = (client: string) => ({ NATS_URL: `nats://${client}:${passwords[client]}@${nats}` })
  return {
    nats: { NATS_SERVER_CONFIGURATION: brokerConfiguration(passwords) },
    ...Object.fromEntries(clients.map((client) => [client, urlOf(client)])),
  }
}

type Role = { password: string; url: string }

export function keySettings() {
  const { identityTokenKey, downloadTokenKey, webhookSecretKey, exportSecretKey, s3ApiSecretKey } = makeKeys()
  return {
    IDENTITY_TOKEN_PRIVATE_KEY: JSON.stringify(identityTokenKey),
    IDENTITY_TOKEN_PUBLIC_KEYS: JSON.stringify(publicKeySet(identityTokenKey)),
    DOWNLOAD_TOKEN_KEYS: downloadTokenKey,
    WEBHOOK_SECRET_KEYS: webhookSecretKey,
    EXPORT_SECRET_KEYS: exportSecretKey,
    S3_API_SECRET_KEYS: s3ApiSecretKey,
  }
}

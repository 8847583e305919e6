import { join } from 'node:path'
import type { Environment } from '../grammar/context.ts'
import { configDirectory } from './directories.ts'
import type { Profile } from './profiles.ts'
import { forgetSecret, type Keyring, keepSecret, readSecretIn } from './secrets.ts'

/** Keeps the key of a profile and tells where, as the profile says it. */
export async function keepKey(
  environment: Environment,
  { name, url, key }: { name: string; url: string; key: string },
  keyring: Keyring | null,
): Promise<Profile> {
  const path = join(configDirectory(environment), 'keys', name)
  return { url, keyIn: await keepSecret(key, { account: accountOf(name, url), path }, keyring) }
}

/** Null: it is not there any more. */
export const readKey = (name: string, { url, keyIn }: Profile, keyring: () => Promise<Keyring>) =>
  readSecretIn({ account: accountOf(name, url), keyIn }, keyring)

export const forgetKey = (name: string, { url, keyIn }: Profile, keyring: () => Promise<Keyring>) =>
  forgetSecret({ account: accountOf(name, url), keyIn }, keyring)

const accountOf = (name: string, url: string) => `${name} ${url}`

import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '../grammar/context.ts'
import { absent } from '../local/absent.ts'
import { replaceFile } from '../local/replace-file.ts'
import { UsageError } from '../terminal/failures.ts'
import { configDirectory } from './directories.ts'
import { forgetSecret, type Keyring, keepSecret, readSecretIn } from './secrets.ts'

export interface Profile {
  url: string
  /** `keyring`, or the path of the key file. */
  keyIn: string
}

/** Throws a `UsageError` for a name that is not a valid file name. */
export function profilePath(environment: Environment, name: string): string {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw new UsageError('A profile name must have 1 to 64 letters, digits, dots, hyphens, or underscores')
  }
  return join(configDirectory(environment), 'profiles', `${name}.json`)
}

export async function readProfile(environment: Environment, name: string): Promise<Profile | null> {
  const path = profilePath(environment, name)
  const text = await readFile(path, 'utf8').catch(absent)
  if (text === null) return null
  try {
    const { url, keyIn } = JSON.parse(text) as Partial<Profile>
    if (typeof url === 'string' && typeof keyIn === 'string') return { url, keyIn }
  } catch {}
  throw new Error(`${path} is not a valid profile. Log in again`)
}

export async function writeProfile(environment: Environment, name: string, profile: Profile): Promise<void> {
  await replaceFile(profilePath(environment, name), `${JSON.stringify(profile, null, 2)}\n`)
}

export async function removeProfile(environment: Environment, name: string): Promise<void> {
  await rm(profilePath(environment, name), { force: true })
}

export async function profileNames(environment: Environment): Promise<string[]> {
  const files = await readdir(join(configDirectory(environment), 'profiles')).catch(absent)
  return (files ?? []).filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length)).toSorted() // biome-ignore format: one chain
}

export async function keepKey(
  environment: Environment,
  { name, url, key }: { name: string; url: string; key: string },
  keyring: Keyring | null,
): Promise<Profile> {
  const path = join(configDirectory(environment), 'keys', name)
  return { url, keyIn: await keepSecret(key, { account: accountOf(name, url), path }, keyring) }
}

export const readKey = (name: string, { url, keyIn }: Profile, keyring: () => Promise<Keyring>) =>
  readSecretIn({ account: accountOf(name, url), keyIn }, keyring)

export const forgetKey = (name: string, { url, keyIn }: Profile, keyring: () => Promise<Keyring>) =>
  forgetSecret({ account: accountOf(name, url), keyIn }, keyring)

const accountOf = (name: string, url: string) => `${name} ${url}`

import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '../grammar/context.ts'
import { replaceFile } from '../local/replace-file.ts'
import { configDirectory } from './directories.ts'
import { absent, type Profile } from './profiles.ts'

/** Where the system keeps secrets. */
export interface Keyring {
  read(account: string): Promise<string | null>
  /** Rejects where there is none that can be written to. */
  write(account: string, secret: string): Promise<void>
  remove(account: string): Promise<void>
}

/**
 * Keeps a key and tells where. A keyring is believed when it gave back what was written: on servers, in containers and
 * over SSH there is often none, or a locked one. Else it is a file that nobody but this user reads.
 */
export async function keepKey(
  environment: Environment,
  { name, url, key }: { name: string; url: string; key: string },
  keyring: Keyring | null,
): Promise<Profile> {
  const account = accountOf(name, url)
  if (keyring) {
    const isKept = await keyring.write(account, key).then(
      async () => (await keyring.read(account)) === key,
      () => false,
    )
    if (isKept) return { url, keyIn: 'keyring' }
  }
  const keyIn = join(configDirectory(environment), 'keys', name)
  await replaceFile(keyIn, `${key}\n`)
  return { url, keyIn }
}

/** Null: it is not there any more. */
export async function readKey(name: string, { url, keyIn }: Profile, keyring: () => Promise<Keyring>) {
  if (keyIn === 'keyring') return await (await keyring()).read(accountOf(name, url))
  const text = await readFile(keyIn, 'utf8').catch(absent)
  return text?.trim() || null
}

export async function forgetKey(name: string, { url, keyIn }: Profile, keyring: () => Promise<Keyring>) {
  if (keyIn === 'keyring') await (await keyring()).remove(accountOf(name, url))
  else await rm(keyIn, { force: true })
}

const accountOf = (name: string, url: string) => `${name} ${url}`

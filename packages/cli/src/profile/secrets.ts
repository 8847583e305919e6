import { readFile, rm } from 'node:fs/promises'
import { absent } from '../local/absent.ts'
import { replaceFile } from '../local/replace-file.ts'

/** Where the system keeps secrets. */
export interface Keyring {
  read(account: string): Promise<string | null>
  /** Rejects where there is none that can be written to. */
  write(account: string, secret: string): Promise<void>
  remove(account: string): Promise<void>
}

/** Where a secret is: under a name in the keyring, or in a file. */
export interface SecretPlace {
  account: string
  /** `keyring`, or the path of the file. */
  keyIn: string
}

/**
 * Keeps a secret and tells where. A keyring is believed when it gave back what was written: on servers, in containers and
 * over SSH there is often none, or a locked one. Else it is a file that nobody but this user reads.
 */
export async function keepSecret(
  secret: string,
  { account, path }: { account: string; path: string },
  keyring: Keyring | null,
): Promise<string> {
  if (keyring) {
    const isKept = async () => {
      await keyring.write(account, secret)
      return (await keyring.read(account)) === secret
    }
    if (await isKept().catch(() => false)) return 'keyring'
  }
  await replaceFile(path, `${secret}\n`)
  return path
}

/** Null: it is not there any more. */
export async function readSecretIn({ account, keyIn }: SecretPlace, keyring: () => Promise<Keyring>) {
  if (keyIn === 'keyring') return await (await keyring()).read(account)
  const text = await readFile(keyIn, 'utf8').catch(absent)
  return text?.trim() || null
}

export async function forgetSecret({ account, keyIn }: SecretPlace, keyring: () => Promise<Keyring>) {
  if (keyIn === 'keyring') await (await keyring()).remove(account)
  else await rm(keyIn, { force: true })
}

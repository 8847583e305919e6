import { readFile, rm } from 'node:fs/promises'
import type { AsyncEntry } from '@napi-rs/keyring'
import { absent } from '../local/absent.ts'
import { replaceFile } from '../local/replace-file.ts'

export interface Keyring {
  read(account: string): Promise<string | null>
  write(account: string, secret: string): Promise<void>
  remove(account: string): Promise<void>
}

export interface SecretPlace {
  account: string
  /** `keyring`, or the path of the file. */
  keyIn: string
}

/** Uses a keyring that returns what was written, otherwise a file that only this user can read. Returns which. */
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

export async function readSecretIn({ account, keyIn }: SecretPlace, keyring: () => Promise<Keyring>) {
  if (keyIn === 'keyring') return await (await keyring()).read(account)
  const text = await readFile(keyIn, 'utf8').catch(absent)
  return text?.trim() || null
}

export async function forgetSecret({ account, keyIn }: SecretPlace, keyring: () => Promise<Keyring>) {
  if (keyIn === 'keyring') await (await keyring()).remove(account)
  else await rm(keyIn, { force: true })
}

const service = 'tideport'

type Entry = Pick<AsyncEntry, 'getPassword' | 'setPassword' | 'deletePassword'>

/** Keychain, Credential Manager, or Secret Service. Rejects if the optional native package cannot be loaded. */
export async function systemKeyring(): Promise<Keyring> {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  return keyringOf((account) => new AsyncEntry(service, account))
}

/**
 * In containers, the package throws although its types promise a rejection. Each failure becomes a rejection with a
 * sentence.
 */
export function keyringOf(entryOf: (account: string) => Entry): Keyring {
  async function use<T>(account: string, work: (entry: Entry) => Promise<T>): Promise<T> {
    try {
      return await work(entryOf(account))
    } catch (cause) {
      throw new Error(`The system keyring failed: ${(cause as Error).message}`, { cause })
    }
  }
  return {
    read: (account) => use(account, async (entry) => (await entry.getPassword()) ?? null),
    write: (account, secret) => use(account, (entry) => entry.setPassword(secret)),
    remove: (account) => use(account, async (entry) => void (await entry.deletePassword())),
  }
}

export const keyringOrNull = (): Promise<Keyring | null> => systemKeyring().catch(() => null)

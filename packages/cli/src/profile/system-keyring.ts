import type { AsyncEntry } from '@napi-rs/keyring'
import type { Keyring } from './secrets.ts'

const service = 'tideport'

type Entry = Pick<AsyncEntry, 'getPassword' | 'setPassword' | 'deletePassword'>

/**
 * The keyring of this system: Keychain, Credential Manager, Secret Service. Its package is native and optional, so it is
 * loaded when it is needed; rejects where it is not installed or cannot be loaded.
 */
export async function systemKeyring(): Promise<Keyring> {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  return keyringOf((account) => new AsyncEntry(service, account))
}

/** In containers the package throws where its types promise a rejection: each failure becomes a rejection with a sentence. */
export function keyringOf(entryOf: (account: string) => Entry): Keyring {
  async function use<T>(account: string, work: (entry: Entry) => Promise<T>): Promise<T> {
    try {
      return await work(entryOf(account))
    } catch (cause) {
      throw new Error(`The keyring of this system cannot be used: ${(cause as Error).message}`, { cause })
    }
  }
  return {
    read: (account) => use(account, async (entry) => (await entry.getPassword()) ?? null),
    write: (account, secret) => use(account, (entry) => entry.setPassword(secret)),
    remove: (account) => use(account, async (entry) => void (await entry.deletePassword())),
  }
}

/** Null where there is none. */
export const keyringOrNull = (): Promise<Keyring | null> => systemKeyring().catch(() => null)

import type { Keyring } from './secrets.ts'

const service = 'tideport'

/**
 * The keyring of this system: Keychain, Credential Manager, Secret Service. Its package is native and optional, so it is
 * loaded when it is needed; rejects where it is not installed or cannot be loaded.
 */
export async function systemKeyring(): Promise<Keyring> {
  const { AsyncEntry } = await import('@napi-rs/keyring')
  return {
    read: async (account) => (await new AsyncEntry(service, account).getPassword()) ?? null,
    write: (account, secret) => new AsyncEntry(service, account).setPassword(secret),
    remove: async (account) => void (await new AsyncEntry(service, account).deletePassword()),
  }
}

/** Null where there is none. */
export const keyringOrNull = (): Promise<Keyring | null> => systemKeyring().catch(() => null)

import {
  type Client,
  InsufficientScopeError,
  listVaults,
  OutsideKeyLimitsError,
  readVault,
  type Vault,
} from '@tideport/sdk'
import { isId } from './address.ts'

const found = new WeakMap<Client, Map<string, Promise<Vault>>>()

/** Finds a vault by its slug or ID, once per run. Rejects with a sentence if it does not exist. */
export function findVault(client: Client, name: string, signal: AbortSignal): Promise<Vault> {
  const known = found.get(client) ?? new Map<string, Promise<Vault>>()
  found.set(client, known)
  const vault = known.get(name) ?? look(client, name, signal).then((one) => checked(client, name, one))
  known.set(name, vault)
  vault.then(
    ({ id }) => known.set(id, vault),
    () => {},
  )
  return vault
}

/**
 * The vault of a file; null if the key may not read vaults. The vault must be readable if it is known to be private.
 */
export async function findVaultOf(client: Client, vaultId: string, signal: AbortSignal): Promise<Vault | null> {
  try {
    return await findVault(client, vaultId, signal)
  } catch (error) {
    const isHidden = error instanceof InsufficientScopeError || error instanceof OutsideKeyLimitsError
    if (!isHidden || isExpectedPrivate(client, vaultId)) throw error
    return null
  }
}

async function look(client: Client, name: string, signal: AbortSignal): Promise<Vault> {
  if (isId(name)) return await readVault(client, { vaultId: name }, { signal })
  for await (const vault of listVaults(client, { limit: 100 }, { signal })) if (vault.slug === name) return vault
  throw new Error(`Vault "${name}" does not exist. To list your vaults, run \`tideport vaults\``)
}

/** Remembered vaults: a service that contradicts them is not trusted. */
export interface Expected {
  slug: string
  id: string
}

const expected = new WeakMap<Client, readonly Expected[]>()

/** Records that these vaults are private and that their names mean no other vaults. */
export const expectPrivate = (client: Client, vaults: readonly Expected[]) => void expected.set(client, vaults)

/** Whether this machine has a key of the vault. */
export const isExpectedPrivate = (client: Client, vaultId: string): boolean =>
  (expected.get(client) ?? []).some(({ id }) => id === vaultId)

/** Throws a sentence if the service would receive plaintext for a private vault, or substitutes another vault. */
function checked(client: Client, name: string, vault: Vault): Vault {
  const all = expected.get(client) ?? []
  const known = all.find(({ slug, id }) => slug === name || id === name.toLowerCase())
  if (known && known.id !== vault.id) {
    throw new Error(
      `"${name}" was the slug of the private vault ${known.id}, but the service now uses it for another vault`,
    )
  }
  if (isId(name) && vault.id !== name.toLowerCase())
    throw new Error('The service returned a different vault than requested')
  // Exports and public vaults have no key.
  const hasKey = vault.keyId != null || all.some(({ id }) => id === vault.id)
  if (hasKey && (vault.visibility !== 'private' || vault.isExport)) {
    throw new Error(`Vault "${name}" is private, but the service reports it as public`)
  }
  return vault
}

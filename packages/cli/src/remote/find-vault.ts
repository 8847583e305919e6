import { type Client, listVaults, readVault, type Vault } from '@tideport/sdk'
import { isId } from './address.ts'

const found = new WeakMap<Client, Map<string, Promise<Vault>>>()

/** A vault by its slug or id, looked for once in a run. Rejects with a sentence when there is none. */
export function findVault(client: Client, name: string, signal: AbortSignal): Promise<Vault> {
  const known = found.get(client) ?? new Map<string, Promise<Vault>>()
  found.set(client, known)
  const vault = known.get(name) ?? look(client, name, signal)
  known.set(name, vault)
  return vault
}

async function look(client: Client, name: string, signal: AbortSignal): Promise<Vault> {
  if (isId(name)) return await readVault(client, { vaultId: name }, { signal })
  for await (const vault of listVaults(client, { limit: 100 }, { signal })) if (vault.slug === name) return vault
  throw new Error(`There is no vault "${name}": \`tideport vaults\` lists those that there are`)
}

/** The same for commands that read or write bytes, which of private vaults only who has the vault key can. */
export async function requirePlainVault(client: Client, name: string, signal: AbortSignal): Promise<Vault> {
  const vault = await findVault(client, name, signal)
  if (vault.visibility === 'public') return vault
  throw new Error(
    `"${name}" is private: its files are encrypted by the SDK (docs/private-files.md), not by this command`,
  )
}

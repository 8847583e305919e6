import { readFile } from 'node:fs/promises'
import { type Client, createVault, IdTakenError, StateConflictError, updateVault, type Vault } from '@tideport/sdk'
import type { Context } from '../grammar/context.ts'
import { absent } from '../local/absent.ts'
import { replaceFile } from '../local/replace-file.ts'
import type { ExportedVault } from './read-manifests.ts'

interface Finding {
  there: readonly Vault[]
  path: string
}

/** The target vault for each exported vault: mapped by an earlier run, with the same ID, with the same slug, or new. */
export async function findVaults(
  client: Client,
  wanted: readonly ExportedVault[],
  { there, path }: Finding,
  { signal }: Context,
): Promise<Map<string, Vault>> {
  const ids: Record<string, string> = { ...JSON.parse((await readFile(path, 'utf8').catch(absent)) ?? '{}') }
  const remember = async (exportedId: string, id: string) => {
    ids[exportedId] = id
    await replaceFile(path, JSON.stringify(ids))
  }
  const found = new Map<string, Vault>()
  for (const vault of wanted) {
    const same = there.find(({ id }) => id === ids[vault.id]) ?? findLike(there, vault)
    if (same) await remember(vault.id, same.id)
    const standsFor = same ?? (await makeVault(client, vault, (id) => remember(vault.id, id), signal))
    await tellKey(client, standsFor, vault, signal)
    found.set(vault.id, standsFor)
  }
  return found
}

async function makeVault(
  client: Client,
  { id, name, visibility, description, filesExpireAfterSeconds }: ExportedVault,
  remember: (id: string) => Promise<void>,
  signal: AbortSignal,
): Promise<Vault> {
  const fields = { name, visibility, description, filesExpireAfterSeconds }
  const make = async (as: string) => {
    await remember(as)
    return await createVault(client, { id: as, ...fields }, { signal })
  }
  try {
    return await make(id)
  } catch (error) {
    if (!(error instanceof IdTakenError)) throw error
    return await make(newId())
  }
}

/** Keeps an existing key. */
async function tellKey(client: Client, { id, keyId: own }: Vault, { keyId }: ExportedVault, signal: AbortSignal) {
  if (own !== null || keyId == null) return
  await updateVault(client, { vaultId: id, keyId }, { signal }).catch((error) => {
    if (!(error instanceof StateConflictError)) throw error
  })
}

function findLike(there: readonly Vault[], { id, slug, visibility, keyId }: ExportedVault): Vault | undefined {
  const fit = there.filter(
    (vault) => vault.visibility === visibility && !vault.isExport && mayBeSame(vault.keyId, keyId),
  )
  return fit.find((vault) => vault.id === id) ?? fit.find((vault) => vault.slug === slug)
}

/**
 * Whether files with these keys may share a vault. A vault whose files have two keys would need both keys. A null or
 * missing ID, as in older exports, is unknown and allowed.
 */
const mayBeSame = (one: string | null, other: string | null | undefined) => !one || !other || one === other

/** A UUIDv7, so that the vault can be found by its ID if the response is lost. */
export function newId(): string {
  const bytes = Buffer.from(crypto.getRandomValues(new Uint8Array(16)))
  bytes.writeUIntBE(Date.now(), 0, 6)
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f)
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

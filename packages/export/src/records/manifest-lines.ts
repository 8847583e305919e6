import type { ManifestLine } from '@tideport/contracts/public/manifest'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { toCopies, toFile, toVault } from '@tideport/file-lifecycle/views/file-views'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import { type Place, type WalkedFile, walkFilesOf, walkVaults } from './walk-account.ts'

interface Deps {
  db: Kysely<FilesDb>
  networks: Networks
  log: Log
  cursorOf: (place: ManifestPlace) => string
}

/** Place where a truncated manifest continues. */
export interface ManifestPlace extends Place {
  /** Creation time of the last vault in it. */
  vaultsUntil: string
  vaults: number
  files: number
  bytes: number
}

/**
 * Yields the manifest of an account (docs/guides/leave.md) line by line. `from` continues after that place, and starts
 * with vaults created since.
 */
export async function* manifestLines(
  { cursorOf, ...deps }: Deps,
  accountId: string,
  from: ManifestPlace | null,
): AsyncGenerator<ManifestLine> {
  if (from === null) yield headLine(deps.networks, accountId)
  let { vaultsUntil, vaults, files, bytes } = from ?? { vaultsUntil: '', vaults: 0, files: 0, bytes: 0 }
  const vaultIds = new Set<string>()
  for await (const { at, ...vault } of walkVaults(deps, accountId)) {
    vaultIds.add(vault.id)
    if (from !== null && at <= from.vaultsUntil) continue
    vaultsUntil = at
    vaults += 1
    yield* await vaultLines(deps.db, vault)
  }
  for await (const walked of walkFilesOf(deps, accountId, { vaultIds, from })) {
    files += 1
    bytes += walked.file.sizeBytes
    const cursor = cursorOf({ ...walked.place, vaultsUntil, vaults, files, bytes })
    yield { ...fileLine(deps.networks, walked), cursor }
  }
  yield { type: 'end', vaults, files, bytes }
}

export function headLine(networks: Networks, accountId: string): ManifestLine {
  return {
    type: 'tideport-manifest',
    version: 1,
    accountId,
    createdAt: new Date().toISOString(),
    networks: networks.all().map(({ name, driver }) => ({ name, driver })),
  }
}

/** A vault with its kept folders, at most 1,000. */
export async function vaultLines(db: Kysely<FilesDb>, vault: VaultRow): Promise<ManifestLine[]> {
  const { rows } = await sql<{ path: string }>`
    select path from kept_folder where vault_id = ${vault.id} order by path`.execute(db)
  const folders = rows.map(({ path }) => ({ type: 'folder' as const, vaultId: vault.id, path }))
  return [{ type: 'vault', ...toVault(vault) }, ...folders]
}

export function fileLine(networks: Networks, { file, copies, isLatest }: WalkedFile) {
  const { order, blobIdOf } = networks
  const referenceOf = new Map(copies.map(({ network, reference }) => [network, reference]))
  const shown = toCopies(copies, networks).filter(({ blobId }) => blobId !== null)
  return {
    type: 'file' as const,
    ...toFile(file, { copies, order, blobIdOf }),
    key: file.key,
    headers: file.headers ?? {},
    isLatest,
    copies: shown.map((copy) => ({ ...copy, reference: referenceOf.get(copy.network) ?? '' })),
  }
}

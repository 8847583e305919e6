import type { ManifestLine } from '@tideport/contracts/public/manifest'
import { type Kysely, sql } from 'kysely'
import type { Networks } from '../copies/networks.ts'
import type { FilesDb, VaultRow } from '../state/tables.ts'
import { toCopies } from './copy-views.ts'
import { toFile, toVault } from './file-views.ts'
import { type WalkedFile, walkFilesOf, walkVaults } from './walk-account.ts'

interface Deps {
  db: Kysely<FilesDb>
  networks: Networks
}

/** The manifest of an account (docs/leaving.md), line by line, as its rows are read. */
export async function* manifestLines({ db, networks }: Deps, accountId: string): AsyncGenerator<ManifestLine> {
  yield headLine(networks, accountId)
  const vaultIds = new Set<string>()
  for await (const vault of walkVaults(db, accountId)) {
    vaultIds.add(vault.id)
    yield* await vaultLines(db, vault)
  }
  let [files, bytes] = [0, 0]
  for await (const walked of walkFilesOf(db, accountId, vaultIds)) {
    files += 1
    bytes += walked.file.sizeBytes
    yield fileLine(networks, walked)
  }
  yield { type: 'end', vaults: vaultIds.size, files, bytes }
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

/** A vault and the folders that it keeps, of which there are a thousand at most. */
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
    isLatest,
    copies: shown.map((copy) => ({ ...copy, reference: referenceOf.get(copy.network) ?? '' })),
  }
}

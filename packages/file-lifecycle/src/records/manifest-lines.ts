import type { ManifestLine } from '@tideport/contracts/public/manifest'
import type { Kysely } from 'kysely'
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
    yield vaultLine(vault)
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

export const vaultLine = (vault: VaultRow): ManifestLine => ({ type: 'vault', ...toVault(vault) })

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

import type { ManifestLine } from '@tideport/contracts/public/manifest'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Kysely } from 'kysely'
import { walkFilesOf, walkVaults } from '../lists/walk-account.ts'
import { toCopies } from './copy-views.ts'
import { toFile, toVault } from './views.ts'

interface Deps {
  db: Kysely<FilesDb>
  networks: Networks
}

/** The manifest of an account (docs/leaving.md), line by line, as its rows are read. */
export async function* manifestLines({ db, networks }: Deps, accountId: string): AsyncGenerator<ManifestLine> {
  const { order, blobIdOf } = networks
  yield {
    type: 'tideport-manifest',
    version: 1,
    accountId,
    createdAt: new Date().toISOString(),
    networks: networks.all().map(({ name, driver }) => ({ name, driver })),
  }
  const vaultIds = new Set<string>()
  for await (const vault of walkVaults(db, accountId)) {
    vaultIds.add(vault.id)
    yield { type: 'vault', ...toVault(vault) }
  }
  let [files, bytes] = [0, 0]
  for await (const { file, copies, isLatest } of walkFilesOf(db, accountId, vaultIds)) {
    files += 1
    bytes += file.sizeBytes
    const referenceOf = new Map(copies.map(({ network, reference }) => [network, reference]))
    const shown = toCopies(copies, networks).filter(({ blobId }) => blobId !== null)
    yield {
      type: 'file',
      ...toFile(file, { copies, order, blobIdOf }),
      isLatest,
      copies: shown.map((copy) => ({ ...copy, reference: referenceOf.get(copy.network) ?? '' })),
    }
  }
  yield { type: 'end', vaults: vaultIds.size, files, bytes }
}

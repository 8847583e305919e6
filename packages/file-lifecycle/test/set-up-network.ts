import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { openColdTier } from '../src/copies/cold-tier.ts'
import { setUpColdTier } from '../src/copies/set-up-cold-tier.ts'
import type { FilesDb } from '../src/state/tables.ts'

/** An embedded network of this database's installation. */
export async function setUpNetwork(db: Kysely<FilesDb>, dir: string): Promise<StorageNetwork> {
  const config = {
    serviceEnv: 'development',
    storageNetwork: 'embedded' as const,
    embeddedNetworkDir: dir,
    embeddedNetworkAcceptSingleCopy: true,
    embeddedNetworkReserveBytes: 0,
  }
  await setUpColdTier(db, config, { acceptLostCopies: false })
  return openColdTier(config, db)
}

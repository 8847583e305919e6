import type { StorageNetworkConfig } from '@tideport/storage-network/open-network'
import { setUpStorageNetwork } from '@tideport/storage-network/set-up-network'
import { type Kysely, sql } from 'kysely'
import { installationIdOf } from '../state/installation-id.ts'
import type { FilesDb } from '../state/tables.ts'

/** Copies that are looked for. That the oldest and the youngest are all lost one by one is nothing a volume goes through. */
const LOOKED_FOR = 100

/**
 * Makes the configured network this installation's; may be repeated (docs/operations.md).
 * @throws Error with a sentence for the operator
 */
export async function setUpColdTier(
  db: Kysely<FilesDb>,
  config: StorageNetworkConfig,
  { acceptLostCopies }: { acceptLostCopies: boolean },
): Promise<'set_up' | 'was_set_up'> {
  const remembered = await someCopies(db, config.storageNetwork)
  return await setUpStorageNetwork(config, { installationId: installationIdOf(db), remembered, acceptLostCopies })
}

async function someCopies(db: Kysely<FilesDb>, network: string): Promise<{ blobId: string; fileId: string }[]> {
  const isHeld = sql`network = ${network} and blob_id is not null and synced_at is not null and purging_at is null`
  const { rows } = await sql<{ blobId: string; fileId: string }>`
    (select blob_id, id as file_id from file where ${isHeld} order by id limit ${LOOKED_FOR})
    union
    (select blob_id, id as file_id from file where ${isHeld} order by id desc limit ${LOOKED_FOR})`.execute(db)
  return rows
}

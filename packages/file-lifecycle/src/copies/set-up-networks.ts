import { setUpStorageNetwork } from '@tideport/storage-network/set-up-network'
import type { CopyName } from '@tideport/storage-network/storage-network'
import { type Kysely, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import type { NetworkSettings } from './network-settings.ts'
import { installationIdOf } from './networks.ts'

/**
 * Copies that are looked for. That the oldest and the youngest are all lost one by one is nothing a volume goes
 * through.
 */
const LOOKED_FOR = 100

/**
 * Makes the configured networks this installation's; may be repeated (docs/operations.md).
 * @throws Error with a sentence for the operator
 */
export async function setUpNetworks(
  db: Kysely<FilesDb>,
  networks: readonly NetworkSettings[],
  { acceptLostCopies }: { acceptLostCopies: boolean },
): Promise<{ network: string; outcome: 'set_up' | 'was_set_up' }[]> {
  const installationId = installationIdOf(db)
  const outcomes: { network: string; outcome: 'set_up' | 'was_set_up' }[] = []
  for (const network of networks) {
    const remembered = await someCopies(db, network.name)
    const outcome = await setUpStorageNetwork(network, { installationId, remembered, acceptLostCopies })
    outcomes.push({ network: network.name, outcome })
  }
  return outcomes
}

async function someCopies(db: Kysely<FilesDb>, network: string): Promise<CopyName[]> {
  const isHeld = sql`network = ${network} and blob_id is not null and state in ('stored', 'proved')`
  const { rows } = await sql<CopyName>`
    (select blob_id, reference, ref from copy where ${isHeld} order by file_id limit ${LOOKED_FOR})
    union
    (select blob_id, reference, ref from copy where ${isHeld} order by file_id desc limit ${LOOKED_FOR})`.execute(db)
  return rows
}

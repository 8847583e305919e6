import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/tables'
import type { Kysely } from 'kysely'

/** A vault of this account that is not in the trash. Null for somebody else's too. */
export async function findLiveVault(db: Kysely<FilesDb>, accountId: string, vaultId: string): Promise<VaultRow | null> {
  const vault = await db
    .selectFrom('vault')
    .selectAll()
    .where('id', '=', vaultId)
    .where('accountId', '=', accountId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst()
  return vault ?? null
}

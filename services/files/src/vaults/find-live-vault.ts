import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import type { Kysely } from 'kysely'

/** A vault of this account, also one in the trash, unless it is being removed for good. */
export async function findKeptVault(db: Kysely<FilesDb>, accountId: string, vaultId: string): Promise<VaultRow | null> {
  const vault = await db
    .selectFrom('vault')
    .selectAll()
    .where('id', '=', vaultId)
    .where('accountId', '=', accountId)
    .where('purgingAt', 'is', null)
    .executeTakeFirst()
  return vault ?? null
}

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

import type { Kysely } from 'kysely'
import type { FileRow, FilesDb, VaultRow } from './tables.ts'

/** A file as its owner may see it: not being purged. Null for somebody else's. */
export async function findOwnedFile(db: Kysely<FilesDb>, accountId: string, fileId: string): Promise<FileRow | null> {
  const file = await db
    .selectFrom('file')
    .selectAll()
    .where('id', '=', fileId)
    .where('accountId', '=', accountId)
    .where('purgingAt', 'is', null)
    .executeTakeFirst()
  return file ?? null
}

/** The row as it is now, whoever owns it. For processes that decide anew after a guard failed. */
export async function readAgain(db: Kysely<FilesDb>, fileId: string): Promise<FileRow | null> {
  return (await db.selectFrom('file').selectAll().where('id', '=', fileId).executeTakeFirst()) ?? null
}

/** A vault of this account, thrown away or not. */
export async function findOwnedVault(
  db: Kysely<FilesDb>,
  accountId: string,
  vaultId: string,
): Promise<VaultRow | null> {
  const vault = await db
    .selectFrom('vault')
    .selectAll()
    .where('id', '=', vaultId)
    .where('accountId', '=', accountId)
    .executeTakeFirst()
  return vault ?? null
}

import { PATH_BYTES_MAX } from '@tideport/contracts/public/paths'
import { type Kysely, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'

/** Of one vault: all of them are read for a page of folders. */
export const KEPT_FOLDERS_MAX = 1000

interface Folders {
  vaultId: string
  prefix: string
}

/** The folders below a prefix are kept no longer. Answers which. */
export async function forgetFolders(trx: Kysely<FilesDb>, { vaultId, prefix }: Folders): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    delete from kept_folder where vault_id = ${vaultId} and starts_with(path, ${prefix}) returning path`.execute(trx)
  return rows.map(({ path }) => path)
}

/** Those that are kept below one folder are kept below another, as far as paths may be so long and a vault keeps so many. */
export async function moveFolders(
  trx: Kysely<FilesDb>,
  from: Folders,
  { vaultId, prefix: to }: Folders,
): Promise<void> {
  const moved = (await forgetFolders(trx, from)).map((path) => to + path.slice(from.prefix.length))
  const paths = moved.filter((path) => path !== '' && Buffer.byteLength(path) <= PATH_BYTES_MAX)
  if (paths.length === 0) return
  // Whoever keeps a folder there meanwhile counts these.
  await sql`select from vault where id = ${vaultId} for no key update`.execute(trx)
  await sql`
    insert into kept_folder (vault_id, path) select ${vaultId}, path from unnest(${paths}::text[]) as path
    limit greatest(0, ${KEPT_FOLDERS_MAX} - (select count(*) from kept_folder where vault_id = ${vaultId}))
    on conflict do nothing`.execute(trx)
}

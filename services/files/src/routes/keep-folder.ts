import { keepFolder } from '@tideport/contracts/public/folders'
import { KEPT_FOLDERS_MAX } from '@tideport/file-lifecycle/many/kept-folders'
import { appendEvents } from '@tideport/file-lifecycle/state/append-event'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import { folderIn } from '../lists/kept-folders.ts'

/** `PUT /api/vaults/:vaultId/folders/*path`. One that is kept already is answered the same. */
export function keepFolderRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(keepFolder, async ({ principal: { accountId }, params }) => {
    const path = folderIn(params.path)
    // Whoever keeps another folder of the vault at this moment waits, and counts this one.
    const { rows } = await sql<{ isKept: boolean }>`
      with home as (
        select id, account_id, exists (select from kept_folder where vault_id = vault.id and path = ${path}) as is_kept
        from vault where id = ${params.vaultId} and account_id = ${accountId} and deleted_at is null for no key update
      ), made as (
        insert into kept_folder (vault_id, path)
        select id, ${path} from home
        where (select count(*) from kept_folder where vault_id = home.id) < ${KEPT_FOLDERS_MAX}
        on conflict do nothing
        returning vault_id
      ), told as (
        ${appendEvents({ kind: 'vault', type: 'vault.changed', payload: sql`jsonb_build_object('keptFolder', ${path}::text)`, from: sql`home where id in (select vault_id from made)` })}
      )
      select is_kept or id in (select vault_id from made) as is_kept from home`.execute(db)
    const [home] = rows
    if (home === undefined) throw notFound()
    if (home.isKept || (await isKept(db, params.vaultId, path))) return { path }
    throw new AppError('too_many_folders', `A vault can keep at most ${KEPT_FOLDERS_MAX} folders`)
  })
}

/** Somebody else may have kept it meanwhile. */
async function isKept(db: Kysely<FilesDb>, vaultId: string, path: string): Promise<boolean> {
  const { rows } = await sql`select from kept_folder where vault_id = ${vaultId} and path = ${path}`.execute(db)
  return rows.length > 0
}

import { KEPT_FOLDERS_MAX } from '@tideport/bulk-jobs/operations/kept-folders'
import { forgetFolder, keepFolder } from '@tideport/contracts/public/folders'
import { appendEvents } from '@tideport/file-lifecycle/state/append-event'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql, type Transaction } from 'kysely'
import { folderIn } from '../lists/kept-folders.ts'
import { isIn, lockLiveVault } from '../lookups/authorized-vault.ts'

export function keepFolderRoute(db: Kysely<FilesDb>) {
  return serve(keepFolder, async ({ principal: { accountId }, params }) => {
    const path = folderIn(params.path)
    const where = { accountId, vaultId: params.vaultId, path }
    if (await db.transaction().execute((trx) => keep(trx, where))) return { path }
    throw new AppError('too_many_folders', `A vault can keep at most ${KEPT_FOLDERS_MAX} folders`)
  })
}

/** False: the vault has the maximum number of kept folders. Throws 404 if the vault does not exist. */
export async function keep(
  trx: Transaction<FilesDb>,
  { accountId, vaultId, path }: { accountId: string; vaultId: string; path: string },
): Promise<boolean> {
  // The lock needs a separate statement: a statement that waited for another request would not see the folder of that
  // request.
  const vault = await lockLiveVault(trx, accountId, vaultId)
  if (vault === null) throw notFound()
  const { rows } = await sql<{ isKept: boolean }>`
    with made as (
      insert into kept_folder (vault_id, path)
      select ${vault.id}, ${path}
      where (select count(*) from kept_folder where ${isIn(vault)}) < ${KEPT_FOLDERS_MAX}
      on conflict do nothing
      returning vault_id
    ), home as (
      select id, account_id from vault where id in (select vault_id from made)
    ), told as (
      ${appendEvents({ kind: 'vault', type: 'vault.changed', payload: sql`jsonb_build_object('keptFolder', ${path}::text)`, from: sql`home` })}
    )
    select exists (select from made) or exists (select from kept_folder where ${isIn(vault)} and path = ${path})
      as is_kept`.execute(trx)
  return rows[0]?.isKept === true
}

export function forgetFolderRoute(db: Kysely<FilesDb>) {
  return serve(forgetFolder, async ({ principal: { accountId }, params }) => {
    const path = folderIn(params.path)
    const payload = sql`jsonb_build_object('forgottenFolder', ${path}::text)`
    const { rows } = await sql`
      with home as (
        select id, account_id from vault
        where id = ${params.vaultId} and account_id = ${accountId} and deleted_at is null
      ), gone as (
        delete from kept_folder where path = ${path} and vault_id in (select id from home)
        returning vault_id
      ), told as (
        ${appendEvents({ kind: 'vault', type: 'vault.changed', payload, from: sql`home where id in (select vault_id from gone)` })}
      )
      select id from home`.execute(db)
    if (rows.length === 0) throw notFound()
    return { path }
  })
}

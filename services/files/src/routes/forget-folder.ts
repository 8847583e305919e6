import { forgetFolder } from '@tideport/contracts/public/folders'
import { appendEvents } from '@tideport/file-lifecycle/state/append-event'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import { folderIn } from '../lists/kept-folders.ts'

/** `DELETE /api/vaults/:vaultId/folders/*path`. One that is not kept is answered the same. */
export function forgetFolderRoute({ db }: { db: Kysely<FilesDb> }) {
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

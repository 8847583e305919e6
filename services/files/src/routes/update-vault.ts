import { updateVault } from '@tideport/contracts/public/vaults'
import { toVault } from '@tideport/file-lifecycle/records/file-views'
import { appendEvents } from '@tideport/file-lifecycle/state/append-event'
import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/** `PATCH /api/vaults/:vaultId`: name, description, how long new files stay. The slug stays, so links do. */
export function updateVaultRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(updateVault, async ({ principal, params, body }) => {
    const { name, description, filesExpireAfterSeconds: seconds } = body
    const changes = [sql`updated_at = now()`]
    if (name !== undefined) changes.push(sql`name = ${name}`)
    if (description !== undefined) changes.push(sql`description = ${description}`)
    if (seconds !== undefined) changes.push(sql`files_expire_after_seconds = ${seconds}`)
    const { rows } = await sql<VaultRow>`
      with before as (
        select id as before_id, name as name_before, description as description_before,
          files_expire_after_seconds as seconds_before from vault
        where id = ${params.vaultId} and account_id = ${principal.accountId} and deleted_at is null for no key update
      ), changed as (
        update vault set ${sql.join(changes)} from before where vault.id = before_id
        returning vault.*, name_before, description_before, seconds_before
      ), told as (${vaultChanged()})
      select * from changed`.execute(db)
    const [row] = rows
    if (row === undefined) throw notFound()
    return toVault(row)
  })
}

const isRescheduled = sql`files_expire_after_seconds is distinct from seconds_before`

/** A description is not repeated: that it changed is enough. */
function vaultChanged(): RawBuilder<unknown> {
  const payload = sql`jsonb_strip_nulls(jsonb_build_object('name', name,
    'nameBefore', case when name <> name_before then name_before end,
    'isDescriptionChanged', nullif(description <> description_before, false),
    'filesExpireAfterSeconds', case when ${isRescheduled} then files_expire_after_seconds end,
    'filesExpireAfterSecondsBefore', case when ${isRescheduled} then seconds_before end))`
  const from = sql`changed where name <> name_before or description <> description_before or ${isRescheduled}`
  return appendEvents({ kind: 'vault', type: 'vault.changed', payload, from })
}

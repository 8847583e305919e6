import { updateVault } from '@tideport/contracts/public/vaults'
import { appendEvents } from '@tideport/file-lifecycle/state/append-event'
import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { toVault } from '@tideport/file-lifecycle/views/file-views'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { findLiveVault } from '../lookups/authorized-vault.ts'

/**
 * `PATCH /api/vaults/:vaultId`: changes name, description, expiry of new files, and key. The slug does not change, so
 * URLs remain valid.
 */
export function updateVaultRoute(db: Kysely<FilesDb>) {
  return serve(updateVault, async ({ principal: { accountId }, params: { vaultId }, body }) => {
    const { name, description, filesExpireAfterSeconds: seconds, keyId, replacesKeyId = null } = body
    const changes = [sql`updated_at = now()`]
    if (name !== undefined) changes.push(sql`name = ${name}`)
    if (description !== undefined) changes.push(sql`description = ${description}`)
    if (seconds !== undefined) changes.push(sql`files_expire_after_seconds = ${seconds}`)
    if (keyId !== undefined) changes.push(sql`key_id = ${keyId}`)
    const fits = keyId === undefined ? sql`true` : mayHaveKey(keyId, replacesKeyId)
    const { rows } = await sql<VaultRow>`
      with before as (
        select id as before_id, name as name_before, description as description_before,
          files_expire_after_seconds as seconds_before, key_id as key_id_before from vault
        where id = ${vaultId} and account_id = ${accountId} and deleted_at is null and ${fits} for no key update
      ), changed as (
        update vault set ${sql.join(changes)} from before where vault.id = before_id
        returning vault.*, name_before, description_before, seconds_before, key_id_before
      ), told as (${vaultChanged()})
      select * from changed`.execute(db)
    const [row] = rows
    if (row !== undefined) return toVault(row)
    const vault = keyId === undefined ? null : await findLiveVault(db, accountId, vaultId)
    if (vault === null) throw notFound()
    const reason = vault.visibility === 'private' ? 'The vault uses a different key' : 'A public vault has no key'
    throw new AppError('state_conflict', reason)
  })
}

/** The second of two concurrent requests waits for the row and then sees the change of the first. */
function mayHaveKey(keyId: string, replaced: string | null): RawBuilder<unknown> {
  return sql`visibility = 'private' and (key_id is null or key_id in (${keyId}, ${replaced}))`
}

const isRescheduled = sql`files_expire_after_seconds is distinct from seconds_before`
const isRekeyed = sql`key_id is distinct from key_id_before`

/** The event only records that the description changed, not its text. */
function vaultChanged(): RawBuilder<unknown> {
  const payload = sql`jsonb_strip_nulls(jsonb_build_object('name', name,
    'nameBefore', case when name <> name_before then name_before end,
    'isDescriptionChanged', nullif(description <> description_before, false),
    'filesExpireAfterSeconds', case when ${isRescheduled} then files_expire_after_seconds end,
    'filesExpireAfterSecondsBefore', case when ${isRescheduled} then seconds_before end,
    'keyId', case when ${isRekeyed} then key_id end,
    'keyIdBefore', case when ${isRekeyed} then key_id_before end))`
  const from = sql`changed where name <> name_before or description <> description_before or ${isRescheduled} or ${isRekeyed}`
  return appendEvents({ kind: 'vault', type: 'vault.changed', payload, from })
}

import type { Visibility } from '@tideport/contracts/public/vaults'
import { appendEvents, vaultPayload } from '@tideport/file-lifecycle/state/append-event'
import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { takenSlugs, vaultSlug } from '@tideport/file-lifecycle/state/vault-slug'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type RawBuilder, sql, type Transaction } from 'kysely'

interface NewVault {
  id: string
  accountId: string
  name: string
  visibility: Visibility
  description: string
  filesExpireAfterSeconds: number | null
  isExport?: boolean
  /** Derived from the name if unset. */
  slug?: string | undefined
}

/** The account's row is locked first, so that the taken slugs do not change. Throws 409 for a taken slug. */
export async function insertVault(trx: Transaction<FilesDb>, vault: NewVault): Promise<VaultRow> {
  const { accountId } = vault
  await trx
    .updateTable('account')
    .set((eb) => ({ vaultCount: eb('vaultCount', '+', 1) }))
    .where('id', '=', accountId)
    .execute()
  const taken = await takenSlugs(trx, accountId)
  if (vault.slug !== undefined && taken.has(vault.slug))
    throw new AppError('slug_taken', 'Another vault of the account has this slug. Choose another one.')
  const slug = vault.slug ?? vaultSlug(vault.name, taken)
  const { id, name, visibility, description, filesExpireAfterSeconds, isExport = false } = vault
  const { rows } = await sql<VaultRow>`
    with made as (
      insert into vault (id, account_id, name, visibility, slug, description, files_expire_after_seconds, is_export)
      values (${id}, ${accountId}, ${name}, ${visibility}, ${slug}, ${description}, ${filesExpireAfterSeconds}, ${isExport})
      returning *
    ), told as (${vaultCreated(sql`made`)})
    select * from made`.execute(trx)
  const [made] = rows
  if (made === undefined) throw new Error('The vault was not created')
  return made
}

export function vaultCreated(from: RawBuilder<unknown>): RawBuilder<unknown> {
  return appendEvents({ kind: 'vault', type: 'vault.created', payload: vaultPayload('vault.created'), from })
}

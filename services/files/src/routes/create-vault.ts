import { createVault, type Visibility } from '@tideport/contracts/public/vaults'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { toVault } from '../files/views.ts'
import { createOnce } from '../uploads/idempotency.ts'
import type { OpenAccount } from '../vaults/default-vault.ts'
import { findLiveVault } from '../vaults/find-live-vault.ts'
import { vaultCreated } from '../vaults/vault-created.ts'
import { vaultSlug } from '../vaults/vault-slug.ts'

interface Deps {
  db: Kysely<FilesDb>
  openAccount: OpenAccount
  relay: Pick<Relay, 'wake'>
}

/** `POST /api/vaults`. */
export function createVaultRoute({ db, openAccount, relay }: Deps) {
  return serve(createVault, async ({ principal: { accountId }, headers, body }) => {
    await openAccount(accountId)
    const { name, visibility, description = '', filesExpireAfterSeconds = null } = body
    const id = uuidv7()
    const request = { accountId, key: headers['idempotency-key'], operation: 'createVault', body, resourceId: id }
    const vaultOf = (trx: Transaction<FilesDb>) =>
      insertVault(trx, { id, accountId, name, visibility, description, filesExpireAfterSeconds })
    const outcome = await createOnce(db, request, vaultOf)
    if ('created' in outcome) {
      relay.wake()
      return toVault(outcome.created)
    }
    const vault = await findLiveVault(db, accountId, outcome.createdBefore)
    if (vault === null) throw notFound()
    return toVault(vault)
  })
}

interface NewVault {
  id: string
  accountId: string
  name: string
  visibility: Visibility
  description: string
  filesExpireAfterSeconds: number | null
}

/** The account's row is locked first, so the slugs that are taken cannot change before ours is. */
async function insertVault(trx: Transaction<FilesDb>, vault: NewVault): Promise<VaultRow> {
  const { accountId } = vault
  await trx
    .updateTable('account')
    .set((eb) => ({ vaultCount: eb('vaultCount', '+', 1) }))
    .where('id', '=', accountId)
    .execute()
  const taken = await trx.selectFrom('vault').select('slug').where('accountId', '=', accountId).execute()
  const slug = vaultSlug(vault.name, new Set(taken.map((row) => row.slug)))
  const { id, name, visibility, description, filesExpireAfterSeconds } = vault
  const { rows } = await sql<VaultRow>`
    with made as (
      insert into vault (id, account_id, name, visibility, slug, description, files_expire_after_seconds)
      values (${id}, ${accountId}, ${name}, ${visibility}, ${slug}, ${description}, ${filesExpireAfterSeconds})
      returning *
    ), told as (${vaultCreated(sql`made`)})
    select * from made`.execute(trx)
  const [made] = rows
  if (made === undefined) throw new Error('The vault was not made')
  return made
}

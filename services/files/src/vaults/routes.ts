import { createVault, listVaults, readVault } from '@tideport/contracts/public/vaults'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { toVault } from '@tideport/file-lifecycle/views/file-views'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { mayRead, vaultsOf } from '../calls/enforce-key-limits.ts'
import { createOnce } from '../calls/idempotency.ts'
import type { FilesConfig } from '../config.ts'
import { readPage } from '../lists/list-page.ts'
import { findLiveVault, getLiveVault } from '../lookups/authorized-vault.ts'
import type { OpenAccount } from './default-vault.ts'
import { insertVault } from './insert-vault.ts'
import { forgetFolderRoute, keepFolderRoute } from './keep-folder.ts'
import { deleteVaultRoute, restoreVaultRoute } from './trash-vault.ts'
import { updateVaultRoute } from './update-vault.ts'

export interface VaultDeps {
  db: Kysely<FilesDb>
  openAccount: OpenAccount
  relay: Pick<Relay, 'wake'>
  config: Pick<FilesConfig, 'trashRetentionSeconds'>
}

export function vaultRoutes(deps: VaultDeps) {
  const { db } = deps
  return {
    createVault: createVaultRoute(deps),
    listVaults: listVaultsRoute(deps),
    readVault: serve(readVault, async ({ principal: { accountId }, params }) =>
      toVault(await getLiveVault(db, accountId, params.vaultId)),
    ),
    updateVault: updateVaultRoute(db),
    deleteVault: deleteVaultRoute(deps),
    restoreVault: restoreVaultRoute(deps),
    keepFolder: keepFolderRoute(db),
    forgetFolder: forgetFolderRoute(db),
  } satisfies Partial<RoutesOf<'files'>>
}

const isKept = sql`deleted_at is null`
const inTrash = sql`deleted_at is not null and purging_at is null`

/** `GET /api/vaults`. The first request of a new account already returns its default vault. */
function listVaultsRoute({ db, openAccount }: Pick<VaultDeps, 'db' | 'openAccount'>) {
  return serve(listVaults, async ({ principal, query: { trashed = false, ...page } }) => {
    const { accountId } = principal
    await openAccount(accountId)
    const within = vaultsOf(principal)
    const isSeen = within === null ? sql`true` : sql`id = any(${within}::uuid[])`
    const { rows, nextCursor } = await readPage<VaultRow>(
      db,
      page,
      { reader: accountId, list: 'vaults', trashed },
      ({ position, isNext, orderBy, limit }) => sql`
        select *, ${position} as position from vault
        where account_id = ${accountId} and ${trashed ? inTrash : isKept} and ${isSeen} and ${isNext}
        order by ${orderBy} limit ${limit}`,
    )
    return { vaults: rows.map(toVault), nextCursor }
  })
}

function createVaultRoute({ db, openAccount, relay }: VaultDeps) {
  return serve(createVault, async ({ principal, headers, body }) => {
    const { accountId } = principal
    await openAccount(accountId)
    const { name, slug, visibility, description = '', filesExpireAfterSeconds = null } = body
    const isIdGiven = body.id != null
    const id = body.id ?? uuidv7()
    const request = {
      accountId,
      key: headers['idempotency-key'],
      operation: 'createVault',
      body,
      resourceId: id,
      isIdGiven,
    }
    const vaultOf = (trx: Transaction<FilesDb>) =>
      insertVault(trx, { id, accountId, name, slug, visibility, description, filesExpireAfterSeconds })
    const outcome = await createOnce(db, request, vaultOf)
    if ('created' in outcome) {
      relay.wake()
      return toVault(outcome.created)
    }
    const vault = await findLiveVault(db, accountId, outcome.createdBefore)
    if (vault === null) throw notFound()
    if (mayRead(principal, 'vaults:read')) return toVault(vault)
    const unused = { fileCount: 0, storageBytes: 0, keyId: null, updatedAt: vault.createdAt }
    return toVault({ ...vault, ...unused, name, description, filesExpireAfterSeconds })
  })
}

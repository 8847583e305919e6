import { createVault } from '@tideport/contracts/public/vaults'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { toVault } from '@tideport/file-lifecycle/views/file-views'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely, Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { mayRead } from '../calls/confine.ts'
import { createOnce } from '../calls/idempotency.ts'
import { findLiveVault } from '../lookups/seen-vault.ts'
import type { OpenAccount } from './default-vault.ts'
import { insertVault } from './insert-vault.ts'

interface Deps {
  db: Kysely<FilesDb>
  openAccount: OpenAccount
  relay: Pick<Relay, 'wake'>
}

export function createVaultRoute({ db, openAccount, relay }: Deps) {
  return serve(createVault, async ({ principal, headers, body }) => {
    const { accountId } = principal
    await openAccount(accountId)
    const { name, visibility, description = '', filesExpireAfterSeconds = null } = body
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
      insertVault(trx, { id, accountId, name, visibility, description, filesExpireAfterSeconds })
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

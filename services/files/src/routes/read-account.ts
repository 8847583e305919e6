import { readAccount } from '@tideport/contracts/public/account'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import type { FilesConfig } from '../config.ts'
import type { OpenAccount } from '../vaults/default-vault.ts'

interface Deps {
  db: Kysely<FilesDb>
  openAccount: OpenAccount
  config: Pick<FilesConfig, 'maxPutBytes' | 'maxFileBytes' | 'accountQuotaBytes' | 'openUploadsMax'>
}

/** `GET /api/account`. */
export function readAccountRoute({ db, openAccount, config }: Deps) {
  return serve(readAccount, async ({ principal: { accountId } }) => {
    await openAccount(accountId)
    const row = await db.selectFrom('account').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow()
    const { storageBytes, hotBytes, fileCount, vaultCount } = row
    return {
      id: row.id,
      createdAt: row.createdAt.toISOString(),
      usage: { storageBytes, hotBytes, fileCount, vaultCount },
      limits: {
        maxPutBytes: config.maxPutBytes,
        maxFileBytes: config.maxFileBytes,
        quotaBytes: config.accountQuotaBytes === 0 ? null : config.accountQuotaBytes,
        openUploadsMax: config.openUploadsMax,
      },
    }
  })
}

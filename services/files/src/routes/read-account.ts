import { readAccount } from '@tideport/contracts/public/account'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { readNetworkUsage } from '@tideport/file-lifecycle/state/network-usage'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import type { FilesConfig } from '../config.ts'
import type { OpenAccount } from '../vaults/default-vault.ts'

interface Deps {
  db: Kysely<FilesDb>
  openAccount: OpenAccount
  networks: Pick<Networks, 'order'>
  config: Pick<FilesConfig, 'maxPutBytes' | 'maxFileBytes' | 'accountQuotaBytes' | 'openUploadsMax'>
}

/** `GET /api/account`. */
export function readAccountRoute({ db, openAccount, networks: { order }, config }: Deps) {
  const placeOf = (network: string) => (order.includes(network) ? order.indexOf(network) : order.length)
  return serve(readAccount, async ({ principal: { accountId, isOperator } }) => {
    await openAccount(accountId)
    const row = await db.selectFrom('account').selectAll().where('id', '=', accountId).executeTakeFirstOrThrow()
    const networks = (await readNetworkUsage(db, accountId))
      .toSorted((a, b) => placeOf(a.network) - placeOf(b.network))
      .map(({ network, copies, bytes }) => ({ network, copies, billedBytes: bytes }))
    const { storageBytes, hotBytes, fileCount, vaultCount } = row
    return {
      id: row.id,
      createdAt: row.createdAt.toISOString(),
      ...(isOperator && { isOperator }),
      usage: { storageBytes, hotBytes, fileCount, vaultCount, networks },
      limits: {
        maxPutBytes: config.maxPutBytes,
        maxFileBytes: config.maxFileBytes,
        quotaBytes: config.accountQuotaBytes === 0 ? null : config.accountQuotaBytes,
        openUploadsMax: config.openUploadsMax,
      },
    }
  })
}
